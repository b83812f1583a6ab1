package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
)

// trace is what happened in which order.
type trace struct {
	mu    sync.Mutex
	steps []string
}

func (t *trace) add(step string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.steps = append(t.steps, step)
}

func (t *trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.steps, " ")
}

func (t *trace) has(step string) bool { return slices.Contains(strings.Fields(t.String()), step) }

// count is how often a step happened.
func (t *trace) count(step string) int {
	n := 0
	for _, s := range strings.Fields(t.String()) {
		if s == step {
			n++
		}
	}
	return n
}

// rig is a room whose every port is a recorder. Its fields are what the ports
// answer; a test changes them before it performs.
type rig struct {
	trace
	room  *Room
	terms Terms
	group *lifecycle.Group

	answer      Answer
	verdict     Verdict
	whileHooked func() // what happens while before hooks run
	before      *Fault
	route       error
	notLive     *Fault
	liveFor     int // how often Live passes before notLive; less than 0: always
	beginErr    error
	endErr      error
	already     *Outcome
	grant       func(Name) bool
	body        func(context.Context, Invocation) Outcome
	bound       *Fault

	overThrown bool // the owner of bodies is expected to end with an error

	after   []Outcome
	audited []AuditEntry
	events  []Event
	in      Invocation
}

// settings are the fields of the rig's toolkit.
var settings = []config.Field{{Name: "limit", Kind: config.KindInt, Default: int64(3)}}

// echoArgs are the arguments of the rig's function.
type echoArgs struct {
	Text  string `json:"text"`
	Times *int   `json:"times,omitempty"`
}

func newRig(tb testing.TB) *rig {
	tb.Helper()
	r := &rig{answer: Yes, verdict: Verdict{Kind: Allow, Rule: "test"}, liveFor: -1, group: lifecycle.New(context.Background())}
	registry, err := NewRegistry(r.kit())
	if err != nil {
		tb.Fatal(err)
	}
	r.room = &Room{
		Registry: registry, Config: config.NewHolder(parse(tb, registry, `["kit"]`)),
		Policy: r, Authority: r, Hooks: r, Audit: r, Router: r, Run: r.group, Now: time.Now,
		Workspace: func(_ *config.Snapshot, who identity.Execution) string { return "/workspace/" + who.Agent },
	}
	r.terms = Terms{
		Surface: func(n Name) bool { r.add("surface"); return r.grant == nil || r.grant(n) },
		Live:    r.live, Lane: r, Ledger: r,
		Bound: func(_ context.Context, _ Invocation, v json.RawMessage) (json.RawMessage, *Fault) {
			r.add("bound")
			return v, r.bound
		},
		Observe: func(_ Ref, e Event) { r.events = append(r.events, e) },
	}
	tb.Cleanup(func() {
		if err := r.group.Wait(); (err != nil) != r.overThrown {
			tb.Errorf("the owner of bodies ended with %v", err)
		}
	})
	return r
}

// kit is a toolkit of one function that repeats its text.
func (r *rig) kit() Toolkit {
	return Toolkit{Name: "kit", Fields: settings, Build: func(Env) ([]Function, error) {
		f := Typed(Spec{Name: "echo", Description: "Repeat."}, func(_ context.Context, _ Invocation, a echoArgs) (any, error) {
			return a.Text, nil
		})
		typed := f.Body
		f.Body = BodyFunc(func(ctx context.Context, in Invocation) Outcome {
			r.add("body")
			r.in = in
			if r.body != nil {
				return r.body(ctx, in)
			}
			return typed.Run(ctx, in)
		})
		return []Function{f}, nil
	}}
}

// parse reads a configuration of one agent with the given tools, by the real loader.
func parse(tb testing.TB, catalog config.Catalog, tools string) *config.Config {
	tb.Helper()
	text := fmt.Sprintf("models: {default: {provider: scripted, id: demo}}\n"+
		"agents: {watcher: {display_name: Watcher, rooms: [operations], tools: %s}}\n"+
		"authorization: {default_room_access: true}\n", tools)
	cfg, _, err := config.Parse("/etc/mindroom/config.yaml", []byte(text), catalog, config.Env{})
	if err != nil {
		tb.Fatal(err)
	}
	return cfg
}

// publish makes tools the watcher's tools from now on.
func (r *rig) publish(tb testing.TB, tools string) {
	tb.Helper()
	if _, err := r.room.Config.Publish(parse(tb, r.room.Registry, tools)); err != nil {
		tb.Fatal(err)
	}
}

func args(tb testing.TB, text string) canonical.Doc {
	tb.Helper()
	doc, err := canonical.Parse([]byte(text), canonical.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

func (r *rig) call(tb testing.TB, arguments string) Call {
	tb.Helper()
	return Call{
		Ref: Ref{DoorScript, "script-1", "call-1"}, Name: Name{"kit", "echo"}, Args: args(tb, arguments),
		Who: identity.InThread("watcher", "@anna:example.org", "!ops:example.org", ""),
	}
}

// plan is a plan of an ordinary call, with the trace emptied afterwards.
func (r *rig) plan(tb testing.TB) Plan {
	tb.Helper()
	was := r.verdict
	r.verdict = Verdict{Kind: Allow, Rule: "test"}
	plan, fault := r.room.Plan(context.Background(), r.call(tb, `{"text":"hello"}`), r.terms)
	if fault != nil {
		tb.Fatal(fault)
	}
	r.verdict = was
	r.steps = nil
	return plan
}

func (r *rig) Acquire(ctx context.Context, _ Ref, _ Class) (func(), error) {
	r.add("lane")
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return func() { r.add("release") }, nil
}

func (r *rig) live(context.Context) *Fault {
	r.add("live")
	if r.liveFor == 0 {
		return r.notLive
	}
	r.liveFor--
	return nil
}

func (r *rig) May(context.Context, identity.Execution, *config.Snapshot) Answer {
	r.add("authority")
	return r.answer
}

func (r *rig) Might(*config.Snapshot, *Function) bool { return true }
func (r *rig) Evaluate(context.Context, Question) Verdict {
	r.add("policy")
	return r.verdict
}

func (r *rig) Before(context.Context, Call) *Fault {
	r.add("before")
	if r.whileHooked != nil {
		r.whileHooked()
	}
	return r.before
}

func (r *rig) After(_ context.Context, _ Call, out Outcome, _ time.Duration) {
	r.add("after")
	r.after = append(r.after, out)
}

func (r *rig) Route(_ context.Context, _ Call, f *Function) (Body, error) {
	r.add("route")
	return f.Body, r.route
}

func (r *rig) Begin(ctx context.Context, _ Ref) error {
	r.add("begin")
	return r.beginErr
}

// End is a ledger's: the first end wins, and the audit goes with it or not at all.
func (r *rig) End(ctx context.Context, _ Ref, out Outcome, also func(*store.Tx) error) (Outcome, error) {
	r.add("end")
	if err := errors.Join(ctx.Err(), r.endErr); err != nil {
		return Outcome{}, err
	}
	if r.already != nil {
		return *r.already, nil
	}
	return out, also(nil)
}

func (r *rig) Record(_ *store.Tx, e AuditEntry) error {
	r.add("audit")
	r.audited = append(r.audited, e)
	return nil
}
