package main

import (
	"context"
	"sync"

	"mindroom/internal/tool"
)

// toolkitName is the toolkit that the scripts call.
const toolkitName = "soak"

// kit is the toolkit: each call leaves one mark, so that a call that ran twice,
// or ran although it has no receipt, is found. count answers whether to go on;
// hold answers when the gate is opened.
type kit struct {
	mu sync.Mutex
	// effects has one counter for each call of each run.
	effects map[string][]uint8
	total   int64
	// inside are the counting calls that wait because the kit is paused.
	inside  int
	running chan struct{} // closed while counting calls may pass
	gate    chan struct{} // closed and replaced to let the held calls through
	over    bool
}

func newKit() *kit {
	running := make(chan struct{})
	close(running)
	return &kit{effects: map[string][]uint8{}, running: running, gate: make(chan struct{})}
}

type numbered struct {
	N int `json:"n"`
}

func (k *kit) toolkit() tool.Toolkit {
	return tool.Toolkit{Name: toolkitName, Purpose: "calls that leave a mark", Build: func(tool.Env) ([]tool.Function, error) {
		return []tool.Function{
			tool.Typed(tool.Spec{Name: "count", Description: "Count, and say whether to go on."}, func(ctx context.Context, in tool.Invocation, a numbered) (any, error) {
				return k.count(ctx, in.Ref.Owner, a.N)
			}),
			tool.Typed(tool.Spec{Name: "hold", Description: "Count, and answer when the gate opens."}, func(ctx context.Context, in tool.Invocation, a numbered) (any, error) {
				return nil, k.hold(ctx, in.Ref.Owner, a.N)
			}),
		}, nil
	}}
}

// mark is called with mu held.
func (k *kit) mark(run string, n int) {
	marks := k.effects[run]
	for len(marks) <= n {
		marks = append(marks, 0)
	}
	marks[n]++
	k.effects[run] = marks
	k.total++
}

func (k *kit) count(ctx context.Context, run string, n int) (goOn bool, err error) {
	k.mu.Lock()
	k.mark(run, n)
	k.inside++
	running := k.running
	k.mu.Unlock()
	select {
	case <-running:
	case <-ctx.Done():
		err = ctx.Err()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.inside--
	return !k.over, err
}

func (k *kit) hold(ctx context.Context, run string, n int) error {
	k.mu.Lock()
	k.mark(run, n)
	gate := k.gate
	k.mu.Unlock()
	select {
	case <-gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause keeps counting calls inside their bodies until resume.
func (k *kit) pause() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running = make(chan struct{})
}

func (k *kit) resume() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.running)
}

// open lets through what is held now; what comes later waits again.
func (k *kit) open() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.gate)
	k.gate = make(chan struct{})
}

// finish tells the counting scripts to end.
func (k *kit) finish() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
}

func (k *kit) waiting() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.inside
}

func (k *kit) calls() int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.total
}

// marks is a copy of a run's counters.
func (k *kit) marks(run string) []uint8 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]uint8(nil), k.effects[run]...)
}

// drop forgets a run that was looked at: its counters must not look like a leak.
func (k *kit) drop(run string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.effects, run)
}
