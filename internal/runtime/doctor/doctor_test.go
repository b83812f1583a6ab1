package doctor

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mindroom/internal/config/reload"
	"mindroom/internal/control"
	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/test/past"
)

// body is a patient to be examined: an installation and its environment.
type body struct {
	t      *testing.T
	dir    string
	config string
	env    map[string]string
}

func newBody(t *testing.T) *body {
	t.Helper()
	dir := t.TempDir()
	return &body{t: t, dir: dir, env: map[string]string{"MINDROOM_STORAGE_PATH": filepath.Join(dir, "data")}, config: `
models: {default: {provider: scripted, id: offline}}
agents: {helper: {display_name: Helper}}
`}
}

func (b *body) control() string { return filepath.Join(b.dir, "data", "control_state") }

func (b *body) options() Options {
	b.t.Helper()
	path := filepath.Join(b.dir, "config.yaml")
	if err := os.WriteFile(path, []byte(b.config), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return Options{ConfigPath: path, Lookup: func(name string) (string, bool) { v, ok := b.env[name]; return v, ok }}
}

// patient is read and ready for single checks.
func (b *body) patient() *patient {
	b.t.Helper()
	p := &patient{o: b.options()}
	if err := p.read(); err != nil {
		b.t.Fatal(err)
	}
	return p
}

// homeserver answers as told; its clock is off by that much.
func (b *body) homeserver(versions, register string, off time.Duration) {
	b.t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		switch r.URL.Path {
		case "/_matrix/client/versions":
			_, _ = w.Write([]byte(versions))
		case "/_matrix/client/v3/register":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(register))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	b.t.Cleanup(s.Close)
	b.env["MATRIX_HOMESERVER"] = s.URL
}

const (
	speaksMatrix = `{"versions":["v1.11"]}`
	open         = `{"flows":[{"stages":["m.login.dummy"]}]}`
	tokens       = `{"flows":[{"stages":["m.login.registration_token"]}]}`
)

// holds fails unless one of the findings is this check with this status and words.
func holds(t *testing.T, all []Finding, check string, want Status, words string) {
	t.Helper()
	for _, f := range all {
		if f.Check != check {
			continue
		}
		if f.Status != want || !strings.Contains(f.Found+" | "+f.Fix, words) {
			t.Errorf("%s is %s: %s | %s; want %s with %q", check, f.Status, f.Found, f.Fix, want, words)
		}
		if f.Status == Fail && f.Fix == "" {
			t.Errorf("%s failed, and nobody says what mends it", check)
		}
		return
	}
	t.Errorf("there is no line %q among %+v", check, all)
}

type check func(p *patient, ctx context.Context) []Finding

// Every check, as it passes, warns and fails.
func TestChecks(t *testing.T) {
	t.Parallel()
	withScripts := `
models: {default: {provider: scripted, id: offline}}
agents: {helper: {display_name: Helper, tools: [script]}}
`
	for name, c := range map[string]struct {
		set   func(b *body)
		check check
		line  string
		want  Status
		words string
	}{
		"storage":           {nil, (*patient).storage, "storage", OK, "MiB free"},
		"control state":     {nil, (*patient).storage, "control state", OK, "MiB free"},
		"storage in a file": {func(b *body) { b.env["MINDROOM_STORAGE_PATH"] = file(b) + "/data" }, (*patient).storage, "storage", Fail, "MINDROOM_STORAGE_PATH"},
		"control in a file": {func(b *body) { b.env["MINDROOM_CONTROL_STATE_PATH"] = file(b) + "/x" }, (*patient).storage, "control state", Fail, "MINDROOM_CONTROL_STATE_PATH"},
		"homeserver":        {func(b *body) { b.homeserver(speaksMatrix, open, 0) }, (*patient).homeserver, "homeserver", OK, "answers in"},
		"its clock":         {func(b *body) { b.homeserver(speaksMatrix, open, 0) }, (*patient).homeserver, "clock", OK, "agrees"},
		"its clock is off":  {func(b *body) { b.homeserver(speaksMatrix, open, time.Hour) }, (*patient).homeserver, "clock", Warn, "apart"},
		"no homeserver":     {func(b *body) { b.env["MATRIX_HOMESERVER"] = "http://127.0.0.1:1" }, (*patient).homeserver, "homeserver", Fail, "does not answer"},
		"another kind":      {func(b *body) { b.homeserver("<html>", open, 0) }, (*patient).homeserver, "homeserver", Fail, "not as a Matrix homeserver"},
		"open registration": {func(b *body) { b.homeserver(speaksMatrix, open, 0) }, (*patient).registration, "registration", OK, "open"},
		"by token":          {func(b *body) { b.homeserver(speaksMatrix, tokens, 0); b.env["MATRIX_REGISTRATION_TOKEN"] = "t" }, (*patient).registration, "registration", OK, "by token"},
		"no token":          {func(b *body) { b.homeserver(speaksMatrix, tokens, 0) }, (*patient).registration, "registration", Warn, "MATRIX_REGISTRATION_TOKEN"},
		"by secret":         {func(b *body) { b.env["MATRIX_REGISTRATION_SHARED_SECRET"] = "s" }, (*patient).registration, "registration", OK, "shared secret"},
		"unreadable":        {func(b *body) { b.homeserver(speaksMatrix, "<html>", 0) }, (*patient).registration, "registration", Warn, "cannot be read"},
		"model":             {nil, (*patient).models, "model default", OK, "answers in"},
		"model without rules": {func(b *body) {
			b.config = strings.Replace(b.config, "id: offline", "id: offline, extra_kwargs: {rules: none.yaml}", 1)
		}, (*patient).models, "model default", Fail, "models.default"},
		"model does not answer": {func(b *body) {
			b.env["OPENAI_API_KEY"] = "sk-wrong"
			b.homeserver(speaksMatrix, open, 0) // which is no model
			b.config = strings.Replace(b.config, "provider: scripted, id: offline", "provider: openai, id: gpt-5-mini, extra_kwargs: {base_url: '"+b.env["MATRIX_HOMESERVER"]+"'}", 1)
		}, (*patient).models, "model default", Fail, "does not answer"},
		"python":           {nil, (*patient).python, "python", OK, "loads the script SDK"},
		"no python":        {func(b *body) { b.env["MINDROOM_PYTHON"] = "python-that-is-not-there" }, (*patient).python, "python", Fail, "MINDROOM_PYTHON"},
		"no real python":   {func(b *body) { b.env["MINDROOM_PYTHON"] = "/bin/false" }, (*patient).python, "python", Fail, "cannot load the script SDK"},
		"no supervisor":    {nil, (*patient).containment, "supervisor", Fail, "beside mindroom"},
		"a rule's script":  {guarded("a.star", "def check(tool_name, arguments, agent_name):\n    return True\n", 0o600), (*patient).rules, "approval scripts", OK, "1 rules ask scripts"},
		"one that is none": {guarded("a.star", "def check(", 0o600), (*patient).rules, "approval scripts", Fail, "a.star:"},
		"one without python": {func(b *body) {
			guarded("a.py", "def check(tool_name, arguments, agent_name):\n    return True\n", 0o600)(b)
			b.env["MINDROOM_PYTHON"] = "python-that-is-not-there"
		}, (*patient).rules, "approval scripts", Warn, "was not checked"},
		"a hook":          {guarded("hook", "#!/bin/sh\n", 0o700), (*patient).rules, "hooks", OK, "every program can be run"},
		"one that cannot": {guarded("hook", "#!/bin/sh\n", 0o600), (*patient).rules, "hooks", Fail, "make it executable"},
		"no scripts":      {nil, (*patient).scripts, "scripts", OK, "no agent has the script tool"},
		"scripts nowhere": {func(b *body) { b.config = withScripts }, (*patient).scripts, "scripts", Warn, "MINDROOM_SANDBOX_EXECUTION_MODE"},
		"scripts here":    {func(b *body) { b.config = withScripts; b.env["MINDROOM_SANDBOX_EXECUTION_MODE"] = "off" }, (*patient).scripts, "scripts", OK, "unsafe"},
		"no minimal mode": {nil, (*patient).minimal, "minimal helper", OK, "not as it is: It has no shell: add shell to agents.helper.tools. It has no workspace"},
		"minimal mode": {func(b *body) {
			b.config = strings.Replace(b.config, "display_name: Helper", "display_name: Helper, tools: [shell], memory_backend: file", 1)
		}, (*patient).minimal, "minimal helper", OK, "the agent lacks nothing for it: !mode helper minimal"},
		"port":          {func(b *body) { b.env["MINDROOM_PORT"] = freePort(b.t, false) }, (*patient).port, "port", OK, "is free"},
		"port taken":    {func(b *body) { b.env["MINDROOM_PORT"] = freePort(b.t, true) }, (*patient).port, "port", Fail, "--api-port"},
		"no database":   {nil, (*patient).runs, "database", OK, "none yet"},
		"a database":    {func(b *body) { database(b, `UPDATE script_runs SET nonterminal = 0`) }, (*patient).runs, "database", OK, "no run is left over"},
		"a run is left": {func(b *body) { database(b, `UPDATE script_runs SET nonterminal = 1`) }, (*patient).runs, "scripts left", Warn, "start mindroom"},
		"of a newer version": {func(b *body) {
			database(b, `INSERT INTO schema_steps (name, step, digest, applied_at) VALUES ('chat', 99, '', '')`)
		}, (*patient).runs, "database", Fail, "newer version"},
		"of a newer package": {func(b *body) {
			database(b, `INSERT INTO schema_steps (name, step, digest, applied_at) VALUES ('telepathy', 1, '', '')`)
		}, (*patient).runs, "database", Fail, "mindroom restore"},
		"no database at all": {func(b *body) {
			write(b, filepath.Join(b.control(), "mindroom.db"), strings.Repeat("this is prose. ", 500))
		}, (*patient).runs, "database", Fail, "backup"},
		"not running": {nil, (*patient).primary, "runtime", OK, "not running"},
		"running":     {running, (*patient).primary, "runtime", OK, "with 2 scripts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBody(t)
			if c.set != nil {
				c.set(b)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			holds(t, c.check(b.patient(), ctx), c.line, c.want, c.words)
		})
	}
}

// file is a path at which there is a file, where a folder should be.
func file(b *body) string {
	path := filepath.Join(b.dir, "file")
	write(b, path, "")
	return path
}

// guarded gives the configuration a rule that asks a script, or a hook.
func guarded(name, text string, mode os.FileMode) func(b *body) {
	return func(b *body) {
		path := filepath.Join(b.dir, name)
		write(b, path, text)
		if err := os.Chmod(path, mode); err != nil {
			b.t.Fatal(err)
		}
		if name == "hook" {
			b.config += "tool_hooks: [{event: 'tool:before_call', match: ['*'], run: [./hook]}]\n"
			return
		}
		b.config += "tool_approval: {rules: [{match: x, script: " + name + "}]}\n"
	}
}

func write(b *body, path, text string) {
	b.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		b.t.Fatal(err)
	}
}

// database writes one in which something happened, and changes it.
func database(b *body, statement string) {
	b.t.Helper()
	if err := os.MkdirAll(b.control(), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if _, err := past.Write(b.t.Context(), b.control()); err != nil {
		b.t.Fatal(err)
	}
	db, err := store.Open(b.t.Context(), past.Path(b.control()))
	if err != nil {
		b.t.Fatal(err)
	}
	err = db.Write(b.t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(statement); return err })
	if err = errors.Join(err, db.Close()); err != nil {
		b.t.Fatal(err)
	}
}

// runs are two, and nothing can be done with them.
type runs struct{ control.Runs }

func (runs) All(context.Context, bool, int) ([]*script.Run, error) {
	return []*script.Run{{ID: "script-1"}, {ID: "script-2"}}, nil
}

func (runs) Trouble(identity.RunID) *script.Trouble { return nil }

func running(b *body) {
	b.t.Helper()
	if err := os.MkdirAll(b.control(), 0o700); err != nil {
		b.t.Fatal(err)
	}
	s, err := control.Listen(b.control(), runs{}, func() reload.Standing { return reload.Standing{Number: 1} })
	if err != nil {
		b.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background()) }()
	b.t.Cleanup(func() {
		if err := errors.Join(s.Shutdown(context.Background()), <-done); err != nil {
			b.t.Error(err)
		}
	})
}

// freePort is the number of a port that nobody, or somebody, listens on.
func freePort(t *testing.T, taken bool) string {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	if taken {
		t.Cleanup(func() { _ = l.Close() })
	} else if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// A supervisor beside the program; not parallel, for it is found by the process's
// own environment.
func TestContainment(t *testing.T) {
	b := newBody(t)
	path := filepath.Join(b.dir, "mindroom-supervise")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MINDROOM_SUPERVISE", path)
	all := b.patient().containment(t.Context())
	if len(all) != 1 || all[0].Check != "containment" || all[0].Status == Fail || !strings.Contains(all[0].Found, "process trees are held by") {
		t.Errorf("%+v", all)
	}
}

// The program of the turn CLI beside this one; not parallel, as above.
func TestAgentCLI(t *testing.T) {
	b := newBody(t)
	path := filepath.Join(b.dir, "mindroom-agent")
	for _, c := range []struct {
		answers string
		set     func()
		want    Status
		words   string
	}{
		{"dev", nil, OK, "is of this build"},
		{"other", nil, Fail, "install mindroom-agent of the same build"},
		{"dev", func() { write(b, filepath.Join(b.dir, "data", "agent_cli_bin"), "") }, Fail, "is no folder"},
		{"dev", func() { t.Setenv("MINDROOM_AGENT_CLI", path+"-none") }, Fail, "no program"},
	} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+c.answers+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("MINDROOM_AGENT_CLI", path)
		if c.set != nil {
			c.set()
		}
		holds(t, b.patient().agentCLI(t.Context()), "turn CLI", c.want, c.words)
	}
}

// The whole: one failure makes it bad, a configuration that cannot be read ends
// it, and so does whoever asked.
func TestExamine(t *testing.T) {
	t.Parallel()
	b := newBody(t)
	b.homeserver(speaksMatrix, open, 0)
	b.env["MINDROOM_PORT"] = freePort(t, false)
	var all []Finding
	report := func(f Finding) { all = append(all, f) }
	if Examine(t.Context(), b.options(), report) {
		t.Error("without a supervisor it is good")
	}
	for _, line := range []string{"configuration", "runtime", "storage", "control state", "homeserver", "clock", "registration", "model default", "python", "scripts", "port", "database", "encryption"} {
		holds(t, all, line, OK, "")
	}
	holds(t, all, "supervisor", Fail, "")
	holds(t, all, "turn CLI", Fail, "")

	ctx, cancel := context.WithCancel(t.Context())
	all = nil
	if Examine(ctx, b.options(), func(f Finding) { all = append(all, f); cancel() }) || len(all) > 3 {
		t.Errorf("ended by whoever asked, it went on: %+v", all)
	}
	b.config, all = "models: 7\n", nil
	if Examine(t.Context(), b.options(), report) || len(all) != 1 {
		t.Errorf("%+v", all)
	}
	holds(t, all, "configuration", Fail, "mindroom config validate")
}
