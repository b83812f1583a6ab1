package script_test

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"mindroom/internal/tool"
)

// recorder is a toolkit whose functions tell what was called, and can be held.
type recorder struct {
	mu      sync.Mutex
	seen    []string
	running int
	most    int
	hold    chan struct{}
	entered chan string
}

func (r *recorder) count(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, s := range r.seen {
		if s == name {
			n++
		}
	}
	return n
}

type echoArguments struct {
	Text string `json:"text"`
}

type anyArguments struct {
	Value any `json:"value,omitempty"`
}

func (r *recorder) toolkit(name, prefix string) tool.Toolkit {
	enter := func(fn string) func() {
		r.mu.Lock()
		r.seen = append(r.seen, name+"."+fn)
		r.running++
		r.most = max(r.most, r.running)
		r.mu.Unlock()
		return func() { r.mu.Lock(); r.running--; r.mu.Unlock() }
	}
	return tool.Toolkit{Name: name, Purpose: "a toolkit of the tests", Build: func(tool.Env) ([]tool.Function, error) {
		return []tool.Function{
			tool.Typed(tool.Spec{Name: prefix + "echo"}, func(_ context.Context, _ tool.Invocation, a echoArguments) (any, error) {
				defer enter("echo")()
				return a.Text, nil
			}),
			tool.Typed(tool.Spec{Name: prefix + "value"}, func(_ context.Context, in tool.Invocation, _ anyArguments) (any, error) {
				defer enter("value")()
				var v map[string]any
				err := in.Args.Decode(&v)
				return v["value"], err
			}),
			tool.Typed(tool.Spec{Name: prefix + "block"}, func(ctx context.Context, _ tool.Invocation, _ anyArguments) (any, error) {
				defer enter("block")()
				r.entered <- "block"
				select {
				case <-r.hold:
					return "released", nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}),
			tool.Typed(tool.Spec{Name: prefix + "fail"}, func(context.Context, tool.Invocation, anyArguments) (any, error) {
				defer enter("fail")()
				return nil, fmt.Errorf("the disk of the tool is full")
			}),
			tool.Typed(tool.Spec{Name: prefix + "large"}, func(context.Context, tool.Invocation, anyArguments) (any, error) {
				defer enter("large")()
				return strings.Repeat("x", 70_000), nil
			}),
			tool.Typed(tool.Spec{Name: prefix + "who"}, func(_ context.Context, in tool.Invocation, _ anyArguments) (any, error) {
				defer enter("who")()
				return map[string]any{"who": in.Who, "depth": in.Depth, "door": in.Door, "owner": in.Owner}, nil
			}),
			tool.Typed(tool.Spec{Name: prefix + "confirm", Confirm: true}, func(context.Context, tool.Invocation, anyArguments) (any, error) {
				defer enter("confirm")()
				return "done", nil
			}),
		}, nil
	}}
}
