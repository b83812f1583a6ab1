package turn

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// testTools is a toolkit whose calls can be watched and held up.
type testTools struct {
	mu      sync.Mutex
	ran     []string
	arrived chan string   // each body's key as it begins
	release chan struct{} // what a held body waits for
	reports chan Report   // of subagents, as their callers got them
}

func newTestTools() *testTools {
	return &testTools{arrived: make(chan string, 64), release: make(chan struct{}), reports: make(chan Report, 64)}
}

func (p *testTools) times(key string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, k := range p.ran {
		if k == key {
			n++
		}
	}
	return n
}

func (p *testTools) enter(key string) {
	p.mu.Lock()
	p.ran = append(p.ran, key)
	p.mu.Unlock()
	p.arrived <- key
}

type keyed struct {
	Key string `json:"key"`
}

func (p *testTools) toolkit() tool.Toolkit {
	return tool.Toolkit{Name: "probe", Purpose: "for tests", Build: func(tool.Env) ([]tool.Function, error) {
		return []tool.Function{
			tool.Typed(tool.Spec{Name: "echo", Class: tool.Shared}, func(_ context.Context, _ tool.Invocation, in keyed) (any, error) {
				p.enter(in.Key)
				return "echo " + in.Key, nil
			}),
			tool.Typed(tool.Spec{Name: "hold", Class: tool.Shared}, func(ctx context.Context, _ tool.Invocation, in keyed) (any, error) {
				p.enter(in.Key)
				select {
				case <-p.release:
					return "held " + in.Key, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}),
			tool.Typed(tool.Spec{Name: "fail"}, func(_ context.Context, _ tool.Invocation, in keyed) (any, error) {
				p.enter(in.Key)
				return nil, errors.New("the probe is broken")
			}),
			tool.Typed(tool.Spec{Name: "gated"}, func(_ context.Context, _ tool.Invocation, in keyed) (any, error) {
				p.enter(in.Key)
				return "never", nil
			}),
			tool.Typed(tool.Spec{Name: "long"}, func(_ context.Context, _ tool.Invocation, in keyed) (any, error) {
				return strings.Repeat(in.Key, 60<<10), nil
			}),
			tool.Typed(tool.Spec{Name: "big", Class: tool.Shared}, func(_ context.Context, _ tool.Invocation, in keyed) (any, error) {
				p.enter(in.Key)
				return strings.Repeat("words ", 8000), nil // just within the bound of a result
			}),
			tool.Typed(tool.Spec{Name: "picture"}, func(ctx context.Context, in tool.Invocation, _ struct{}) (any, error) {
				ref, err := in.Keep(ctx, 0, strings.NewReader("\x89PNG\r\n\x1a\n"), "", "cat.png")
				return tool.Showing{Value: map[string]string{"drawn": "cat"}, Media: []media.Ref{ref}}, err
			}),
			tool.Typed(tool.Spec{Name: "leave"}, func(context.Context, tool.Invocation, keyed) (any, error) {
				return tool.Controlled{Value: "left", Control: tool.ControlEndTurn}, nil
			}),
		}, nil
	}}
}

type testPolicy struct{}

func (testPolicy) Might(*config.Snapshot, *tool.Function) bool { return true }
func (testPolicy) Evaluate(_ context.Context, q tool.Question) tool.Verdict {
	if q.Call.Name.Function == "gated" {
		return tool.Verdict{Kind: tool.Ask, Rule: "rule gated"}
	}
	return tool.Verdict{Kind: tool.Allow}
}

type everybody struct{}

func (everybody) May(context.Context, identity.Execution, *config.Snapshot) tool.Answer {
	return tool.Yes
}

type noHooks struct{}

func (noHooks) Before(context.Context, tool.Call) *tool.Fault                 { return nil }
func (noHooks) After(context.Context, tool.Call, tool.Outcome, time.Duration) {}

// memoryAudit keeps the records of every engine of a bundle.
type memoryAudit struct {
	mu      sync.Mutex
	records []tool.AuditEntry
}

func (a *memoryAudit) Record(_ *store.Tx, e tool.AuditEntry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.records = append(a.records, e)
	return nil
}

func (a *memoryAudit) all() []tool.AuditEntry {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.records)
}
