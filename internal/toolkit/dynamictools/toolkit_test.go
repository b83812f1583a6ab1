package dynamictools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const configuration = `
models: {default: {provider: scripted, id: x}}
agents:
  helper:
    display_name: Helper
    tools:
      - notes
      - {name: mail, defer: true}
      - {name: music, defer: true, initial: true}
      - {name: diary, defer: true}
      - {name: broken, defer: true}
  own: {display_name: Own, private: {per: user}, tools: [{name: mail, defer: true}]}
`

// bench is one registry over one store.
type bench struct {
	t        *testing.T
	db       *store.DB
	registry *tool.Registry
	snap     *config.Snapshot
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, db: storetest.Open(t, Schema)}
	kit := func(name, purpose string, functions ...string) tool.Toolkit {
		return tool.Toolkit{Name: name, Purpose: purpose, Build: func(tool.Env) ([]tool.Function, error) {
			if functions == nil {
				return nil, errors.New("no key")
			}
			var all []tool.Function
			for _, f := range functions {
				all = append(all, tool.Typed(tool.Spec{Name: f}, func(context.Context, tool.Invocation, struct{}) (any, error) { return f, nil }))
			}
			return all, nil
		}}
	}
	var err error
	b.registry, err = tool.NewRegistry(
		kit("notes", "Keep notes.", "write_note", "read_note"), kit("mail", "Read and send letters.", "send_mail", "read_mail"),
		kit("music", "Play songs.", "play"), kit("diary", "Keep a diary.", "write_note"), kit("broken", "Never there."),
		New(Deps{DB: b.db, Purpose: func(name string) string { return b.registry.Purpose(name) },
			Surface: func(snap *config.Snapshot, agent string) (*tool.Surface, error) {
				return b.registry.Surface(snap, agent)
			}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := config.Parse("/config.yaml", []byte(configuration), b.registry, config.Env{})
	if err != nil {
		t.Fatal(err)
	}
	b.snap = config.NewHolder(c).Current()
	return b
}

// call is what a function answers in a thread, for a person.
func (b *bench) call(agent, person, thread, function, args string) string {
	b.t.Helper()
	surface, err := b.registry.Surface(b.snap, agent)
	if err != nil {
		b.t.Fatal(err)
	}
	doc, err := canonical.Parse([]byte(args), canonical.Limits{})
	if err != nil {
		b.t.Fatal(err)
	}
	who := identity.InThread(agent, person, "!r:x", thread)
	f := surface.Lookup(tool.Name{Toolkit: "dynamic_tools", Function: function})
	out := f.Body.Run(b.t.Context(), tool.Invocation{Call: tool.Call{Name: f.Name, Args: doc, Who: who}, Snapshot: b.snap})
	if out.Fault != nil {
		return "fault " + string(out.Fault.Kind)
	}
	var v struct {
		Status string
		Tools  []item
	}
	if err := json.Unmarshal(out.Value, &v); err != nil {
		b.t.Fatal(err)
	}
	text := v.Status
	for _, i := range v.Tools {
		text += fmt.Sprintf(" %s:%v", i.Name, i.Loaded)
	}
	return text
}

// shown are the bare names a model has in a conversation.
func (b *bench) shown(agent, person, thread string) string {
	b.t.Helper()
	surface, err := b.registry.Surface(b.snap, agent)
	if err != nil {
		b.t.Fatal(err)
	}
	var loaded map[string]bool
	err = b.db.Read(b.t.Context(), func(q *store.Reader) (err error) {
		loaded, err = Loaded(q, b.snap, identity.InThread(agent, person, "!r:x", thread))
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	var names []string
	for _, m := range surface.With(loaded).Tools() {
		if m.Name != "list_tools" && m.Name != "tool_search" && m.Name != "load_tool" && m.Name != "unload_tool" {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, " ")
}

// Sentences 1 to 3, each step after the last.
func TestLoading(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const start = "write_note read_note play"
	for _, step := range []struct{ function, args, want, shown string }{
		{"list_tools", `{}`, "ok notes:true mail:false music:true diary:false broken:false dynamic_tools:true", start},
		{"load_tool", `{"name":"mail"}`, "loaded", "write_note read_note send_mail read_mail play"},
		{"load_tool", `{"name":"mail"}`, "already_loaded", "write_note read_note send_mail read_mail play"},
		{"load_tool", `{"name":"diary"}`, "function_name_collision", "write_note read_note send_mail read_mail play"},
		{"load_tool", `{"name":"broken"}`, "tool_unavailable", "write_note read_note send_mail read_mail play"},
		{"load_tool", `{"name":"post"}`, "unknown", "write_note read_note send_mail read_mail play"},
		{"unload_tool", `{"name":"mail"}`, "unloaded", start},
		{"unload_tool", `{"name":"mail"}`, "not_loaded", start},
		{"unload_tool", `{"name":"notes"}`, "sticky", start},
		{"unload_tool", `{"name":"music"}`, "unloaded", "write_note read_note"},
		{"load_tool", `{"name":"music"}`, "loaded", start},
		{"unload_tool", `{"name":"post"}`, "unknown", start},
	} {
		if got := b.call("helper", "@p:x", "$t", step.function, step.args); got != step.want {
			t.Errorf("%s %s: %s, want %s", step.function, step.args, got, step.want)
		}
		if got := b.shown("helper", "@p:x", "$t"); got != step.shown {
			t.Errorf("after %s %s the model has %s, want %s", step.function, step.args, got, step.shown)
		}
	}
}

// What is loaded belongs to the conversation, and with a private agent to the person.
func TestWhoseItIs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.call("helper", "@p:x", "$t", "load_tool", `{"name":"mail"}`)
	b.call("own", "@p:x", "$t", "load_tool", `{"name":"mail"}`)
	for _, c := range []struct {
		agent, person, thread string
		loaded                bool
	}{
		{"helper", "@p:x", "$t", true}, {"helper", "@q:x", "$t", true}, {"helper", "@p:x", "$u", false},
		{"own", "@p:x", "$t", true}, {"own", "@q:x", "$t", false},
	} {
		if got := strings.Contains(b.shown(c.agent, c.person, c.thread), "send_mail"); got != c.loaded {
			t.Errorf("%+v: loaded %v", c, got)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for args, want := range map[string]string{
		`{"query":"mail"}`:                    "ok mail:false",
		`{"query":"LETTERS"}`:                 "ok mail:false",
		`{"query":"write_note"}`:              "ok notes:true diary:false",
		`{"query":"keep","max_results":1}`:    "ok notes:true",
		`{"query":"nothing has this"}`:        "ok",
		`{"query":" "}`:                       "fault invalid_arguments",
		`{"query":"mail","max_results":21}`:   "fault invalid_arguments",
		`{"query":"mail","max_results":0}`:    "fault invalid_arguments",
		`{"query":"play","max_results":null}`: "ok music:true",
	} {
		if got := b.call("helper", "@p:x", "$t", "tool_search", args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

// The oldest conversations are forgotten, and nothing else.
func TestBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	err := b.db.Write(t.Context(), func(tx *store.Tx) error {
		for n := range maxConversations {
			if _, err := tx.Exec(`INSERT INTO loaded_toolkits (agent, owner, session, toolkit, loaded, changed_at) VALUES ('helper', '', $1, 'mail', 1, $2)`,
				fmt.Sprintf("s%04d", n), fmt.Sprintf("2026-01-01T00:00:00.%06dZ", n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.call("helper", "@p:x", "$t", "load_tool", `{"name":"mail"}`); got != "loaded" {
		t.Fatal(got)
	}
	var n, oldest int
	err = b.db.Read(t.Context(), func(q *store.Reader) error {
		return q.QueryRow(`SELECT COUNT(*), SUM(session = 's0000') FROM loaded_toolkits`).Scan(&n, &oldest)
	})
	if err != nil || n != maxConversations || oldest != 0 {
		t.Errorf("%d rows are kept, the oldest among them %d times, %v", n, oldest, err)
	}
}
