package hooks

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/secret"
	"mindroom/internal/tool"
	"mindroom/test/await"
	"mindroom/test/heard"
)

// patience bounds what may take long on a busy machine; it is never slept.
const patience = 60 * time.Second

// rig is hooks under a configuration of tool_hooks.
type rig struct {
	*Configured
	dir    string
	holder *config.Holder
	log    *heard.Text
	group  *lifecycle.Group
}

// kits is a catalog of no toolkit.
type kits struct{}

func (kits) Names() []string                      { return nil }
func (kits) Fields(string) ([]config.Field, bool) { return nil, false }

func parse(t testing.TB, dir, hooks string) *config.Config {
	t.Helper()
	text := "models: {default: {provider: scripted, id: demo}}\nagents: {a: {display_name: A}}\ntool_hooks:\n" + hooks
	c, _, err := config.Parse(filepath.Join(dir, "config.yaml"), []byte(text), kits{}, config.Env{})
	if err != nil {
		t.Fatalf("%s: %v", hooks, err)
	}
	return c
}

func open(t testing.TB, hooks string) *rig {
	t.Helper()
	dir := t.TempDir()
	r := &rig{dir: dir, holder: config.NewHolder(parse(t, dir, hooks)), log: &heard.Text{}, group: lifecycle.New(context.WithoutCancel(t.Context()))}
	r.Configured = New(Parts{
		Config: r.holder, Environ: append(os.Environ(), "OPENAI_API_KEY=not-for-hooks"), Run: r.group, Redactor: &secret.Redactor{},
		Getenv: func(name string) string { return map[string]string{"HOOK_SECRET": "a secret of the test"}[name] },
		Log:    slog.New(slog.NewTextHandler(r.log, nil)),
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		r.group.OnStop(lifecycle.Step{Name: "hooks", Stop: r.Drain})
		if err := r.group.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	return r
}

// program writes an executable shell script into the configuration's folder.
func (r *rig) program(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) read(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

func call(t testing.TB, function, arguments string) tool.Call {
	t.Helper()
	doc, err := canonical.Parse([]byte(arguments), canonical.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tool.Call{
		Ref: tool.Ref{Door: tool.DoorScript, Owner: "script-1", ID: "call-1"}, Name: tool.Name{Toolkit: "mail", Function: function}, Args: doc,
		Who: identity.InThread("watcher", "@anna:example.org", "!ops:example.org", "$root"),
	}
}

// until waits for a condition that no event announces.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	await.Until(t, patience, what, ok)
}
