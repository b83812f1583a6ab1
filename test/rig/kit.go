package rig

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"mindroom/internal/tool"
)

// Toolkit is the name of the toolkit whose functions cost nothing themselves. asked
// needs a person's approval.
const Toolkit = "bench"

// Kit is that toolkit: noop answers null at once, gate answers when the gate is
// opened, and asked says when it began.
type Kit struct {
	// Asked hears when a call that a person approved begins; it holds one instant.
	Asked  chan time.Time
	builds atomic.Int64

	mu      sync.Mutex
	arrived int
	changed chan struct{}
	open    chan struct{}
}

func newKit() *Kit {
	return &Kit{Asked: make(chan time.Time, 1), changed: make(chan struct{}), open: make(chan struct{})}
}

// Builds is how often the toolkit was built for an agent's surface.
func (k *Kit) Builds() int64 { return k.builds.Load() }

// Await returns once n calls have come to the gate since it was last opened, or
// with ctx's cause.
func (k *Kit) Await(ctx context.Context, n int) error {
	for {
		k.mu.Lock()
		arrived, changed := k.arrived, k.changed
		k.mu.Unlock()
		if arrived >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Open lets every call through that waits at the gate. Later ones wait again.
func (k *Kit) Open() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.open)
	k.open = make(chan struct{})
	k.arrived = 0
}

func (k *Kit) pass(ctx context.Context) error {
	k.mu.Lock()
	open := k.open
	k.arrived++
	close(k.changed)
	k.changed = make(chan struct{})
	k.mu.Unlock()
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type noArguments struct{}

type numbered struct {
	N int `json:"n"`
}

func (k *Kit) toolkit() tool.Toolkit {
	return tool.Toolkit{Name: Toolkit, Purpose: "functions that cost nothing themselves", Build: func(tool.Env) ([]tool.Function, error) {
		k.builds.Add(1)
		return []tool.Function{
			tool.Typed(tool.Spec{Name: "noop", Description: "Answer null."}, func(context.Context, tool.Invocation, numbered) (any, error) {
				return nil, nil
			}),
			tool.Typed(tool.Spec{Name: "asked", Description: "Answer null once a person approved."}, func(ctx context.Context, _ tool.Invocation, _ numbered) (any, error) {
				select {
				case k.Asked <- time.Now():
					return nil, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}),
			tool.Typed(tool.Spec{Name: "gate", Description: "Answer when the gate opens."}, func(ctx context.Context, _ tool.Invocation, _ noArguments) (any, error) {
				return nil, k.pass(ctx)
			}),
		}, nil
	}}
}
