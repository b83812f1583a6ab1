package turncli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mindroom/internal/media"
	"mindroom/internal/tool"
)

// kit is a toolkit whose functions tell what was called, and can be held.
type kit struct {
	mu      sync.Mutex
	seen    []string
	running int
	most    int
	release chan struct{}
	entered chan string
}

func newKit() *kit { return &kit{release: make(chan struct{}), entered: make(chan string, 4096)} }

// count is how often a function began.
func (k *kit) count(name string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n := 0
	for _, s := range k.seen {
		if s == name {
			n++
		}
	}
	return n
}

func (k *kit) enter(name string) func() {
	k.mu.Lock()
	k.seen = append(k.seen, name)
	k.running++
	k.most = max(k.most, k.running)
	k.mu.Unlock()
	return func() {
		k.mu.Lock()
		k.running--
		k.mu.Unlock()
	}
}

type textArgs struct {
	Text string   `json:"text"`
	List []string `json:"list,omitempty"`
}

type noArgs struct{}

func (k *kit) toolkit() tool.Toolkit {
	return tool.Toolkit{Name: "kit", Purpose: "What tests call.", Build: func(tool.Env) ([]tool.Function, error) {
		block := func(ctx context.Context, _ tool.Invocation, _ noArgs) (any, error) {
			defer k.enter("block")()
			k.entered <- "block"
			select {
			case <-k.release:
				return "released", nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		say := func(name string) func(context.Context, tool.Invocation, textArgs) (any, error) {
			return func(_ context.Context, _ tool.Invocation, a textArgs) (any, error) {
				defer k.enter(name)()
				return a.Text, nil
			}
		}
		return []tool.Function{
			tool.Typed(tool.Spec{Name: "echo", Class: tool.Shared, Description: "Gives a text back.\n\nNothing else."}, say("echo")),
			tool.Typed(tool.Spec{Name: "ask", Class: tool.Shared, Description: "Needs approval."}, say("ask")),
			tool.Typed(tool.Spec{Name: "block", Class: tool.Shared, Description: "Waits."}, block),
			tool.Typed(tool.Spec{Name: "alone", Description: "Waits, alone."}, block),
			tool.Typed(tool.Spec{Name: "fail", Class: tool.Shared}, func(context.Context, tool.Invocation, noArgs) (any, error) {
				defer k.enter("fail")()
				return nil, errors.New("the disk is full")
			}),
			tool.Typed(tool.Spec{Name: "repeat", Class: tool.Shared}, func(_ context.Context, _ tool.Invocation, a struct {
				Unit  string `json:"unit"`
				Times int    `json:"times"`
			}) (any, error) {
				return strings.Repeat(a.Unit, a.Times), nil
			}),
			tool.Typed(tool.Spec{Name: "numbers", Class: tool.Shared}, func(_ context.Context, _ tool.Invocation, a struct {
				Times int `json:"times"`
			}) (any, error) {
				return make([]int, a.Times), nil
			}),
			tool.Typed(tool.Spec{Name: "finish", Native: true, Description: "Ends the turn."}, func(context.Context, tool.Invocation, noArgs) (any, error) {
				defer k.enter("finish")()
				k.entered <- "finish"
				<-k.release
				return tool.Controlled{Value: "done", Control: tool.ControlEndTurn}, nil
			}),
			tool.Typed(tool.Spec{Name: "picture", Class: tool.Shared}, func(ctx context.Context, in tool.Invocation, a textArgs) (any, error) {
				defer k.enter("picture")()
				part := 0
				if len(a.List) > 0 {
					part = 5 // not the place at which it is shown
				}
				file, err := in.Keep(ctx, part, strings.NewReader("\x89PNG\r\n\x1a\n"+a.Text), "image/png", "x.png")
				if err != nil {
					return nil, err
				}
				return tool.Showing{Value: "a picture", Media: []media.Ref{file}}, nil
			}),
		}, nil
	}}
}

// wide is a toolkit with a schema that no answer holds.
func wide() tool.Toolkit {
	return tool.Toolkit{Name: "wide", Purpose: "Large schemas.", Build: func(tool.Env) ([]tool.Function, error) {
		properties := map[string]any{}
		for i := range 400 {
			properties[fmt.Sprintf("field_%03d", i)] = map[string]any{"type": "string", "description": strings.Repeat("ü", 100)}
		}
		raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
		return []tool.Function{{Name: tool.Name{Function: "form"}, Description: "Has four hundred fields.", Schema: raw,
			Body: tool.BodyFunc(func(context.Context, tool.Invocation) tool.Outcome { return tool.Completed(json.RawMessage(`"ok"`)) })}}, err
	}}
}
