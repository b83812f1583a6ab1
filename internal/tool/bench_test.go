package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
)

// BenchmarkSurface is what a call pays for its agent's surface, 500 functions
// wide. Budget: 20 µs, and no toolkit built.
func BenchmarkSurface(b *testing.B) {
	var built atomic.Int32
	var toolkits []Toolkit
	list := "["
	for i := range 10 {
		name := fmt.Sprintf("kit%d", i)
		var functions []string
		for j := range 50 {
			functions = append(functions, fmt.Sprintf("f%d_%d", i, j))
		}
		toolkits = append(toolkits, kitOf(name, &built, functions...))
		list += name + ","
	}
	r, err := NewRegistry(toolkits...)
	if err != nil {
		b.Fatal(err)
	}
	snap := config.NewHolder(parse(b, r, list+"]")).Current()
	surface(b, r, snap)
	before := built.Load()
	b.ReportAllocs()
	for b.Loop() {
		s, err := r.Surface(snap, "watcher")
		if err != nil || s.Lookup(Name{"kit9", "f9_49"}) == nil {
			b.Fatal("the function is not there", err)
		}
	}
	b.ReportMetric(float64(built.Load()-before), "builds")
}

// BenchmarkPlanPerform is the room's own price of a call: both halves, with
// ports that do nothing.
func BenchmarkPlanPerform(b *testing.B) {
	r, err := NewRegistry(Toolkit{Name: "kit", Fields: settings, Build: func(Env) ([]Function, error) {
		return []Function{Typed(Spec{Name: "echo"}, func(_ context.Context, _ Invocation, a echoArgs) (any, error) { return a.Text, nil })}, nil
	}})
	if err != nil {
		b.Fatal(err)
	}
	idle := newRig(b)
	group := lifecycle.New(context.Background())
	room := &Room{
		Registry: r, Config: config.NewHolder(parse(b, r, `["kit"]`)), Authority: nothing{}, Hooks: nothing{}, Audit: nothing{},
		Policy: policyFunc(func(Question) Verdict { return Verdict{Kind: Allow} }), Router: Local{}, Run: group, Now: idle.room.Now,
	}
	terms := Terms{Ledger: nothing{}, Lane: &Shares{}}
	call := idle.call(b, `{"text":"hello","times":3}`)
	b.ReportAllocs()
	for b.Loop() {
		plan, fault := room.Plan(b.Context(), call, terms)
		if fault != nil {
			b.Fatal(fault)
		}
		if out := room.Perform(b.Context(), plan, nil, terms); string(out.Value) != `"hello"` {
			b.Fatal(out.Fault)
		}
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkResult is what holding a result of 64 KiB to JSON costs a call.
func BenchmarkResult(b *testing.B) {
	raw, err := json.Marshal(make([]int, 32<<10))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if out := sound(Completed(raw)); out.Fault != nil {
			b.Fatal(out.Fault)
		}
	}
}

// nothing is every port that does nothing and says yes.
type nothing struct{}

func (nothing) May(context.Context, identity.Execution, *config.Snapshot) Answer { return Yes }
func (nothing) Before(context.Context, Call) *Fault                              { return nil }
func (nothing) After(context.Context, Call, Outcome, time.Duration)              {}
func (nothing) Record(*store.Tx, AuditEntry) error                               { return nil }
func (nothing) Begin(context.Context, Ref) error                                 { return nil }
func (nothing) End(_ context.Context, _ Ref, out Outcome, also func(*store.Tx) error) (Outcome, error) {
	return out, also(nil)
}
