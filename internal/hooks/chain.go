package hooks

import (
	"context"
	"time"

	"mindroom/internal/tool"
)

// Hook is one inspector of calls.
type Hook interface {
	// Before may decline a call: a non-nil fault ends it as failed.
	Before(ctx context.Context, call tool.Call) *tool.Fault
	// After sees how a call ended. It cannot change it.
	After(ctx context.Context, call tool.Call, out tool.Outcome, took time.Duration)
}

// Chain runs hooks in order. The empty chain lets everything pass.
type Chain []Hook

var _ tool.Hooks = Chain(nil)

// Before asks each hook in order; the first fault wins and later hooks are not
// asked.
func (c Chain) Before(ctx context.Context, call tool.Call) *tool.Fault {
	for _, h := range c {
		if fault := h.Before(ctx, call); fault != nil {
			return fault
		}
	}
	return nil
}

// After tells every hook.
func (c Chain) After(ctx context.Context, call tool.Call, out tool.Outcome, took time.Duration) {
	for _, h := range c {
		h.After(ctx, call, out, took)
	}
}
