package turn

import (
	"context"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/tool"
)

// perform runs the calls and waits for all. inTime is false when the engine
// stopped and they had to be ended before they were done.
func (r *response) perform(ctx context.Context, calls []planned, terms tool.Terms) (outcomes []tool.Outcome, inTime bool, err error) {
	// Begun calls outlive the order to stop by Grace, but not a cancellation.
	callCtx, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	done := make(chan struct{})
	watch := lifecycle.New(context.WithoutCancel(ctx))
	watch.Go("grace", func(context.Context) error { return r.grace(ctx, done, end) })

	outcomes = make([]tool.Outcome, len(calls))
	group := lifecycle.New(callCtx)
	for i, call := range calls {
		ref := r.cp.Calls[i].Ref
		started := group.Go("call "+ref, func(ctx context.Context) error {
			outcomes[i] = r.carry(ctx, call, terms)
			r.seen.change(true, func(v *view) { v.completed(ref, resultOf(outcomes[i]).Text, r.e.Mask) })
			return nil
		})
		if !started {
			outcomes[i] = tool.Failed(tool.Faultf(tool.FaultCancelled, "the response ended before the call began; it never ran"))
		}
	}
	err = group.Wait()
	inTime = callCtx.Err() == nil
	close(done)
	_ = watch.Wait() // returns no error
	return outcomes, inTime, err
}

func (r *response) grace(ctx context.Context, done <-chan struct{}, end context.CancelCauseFunc) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	if r.cancelled() {
		end(errCancelled)
		return nil
	}
	timer := time.NewTimer(r.e.Grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		end(errStopping)
	}
	return nil
}
