package turn

import (
	"context"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// perform runs the calls and waits for all. inTime is false when the engine
// stopped and they had to be ended before they were done.
func (r *response) perform(ctx context.Context, calls []planned, terms tool.Terms) (outcomes []tool.Outcome, inTime bool, err error) {
	outcomes = make([]tool.Outcome, len(calls))
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = r.cp.Calls[i].Ref
	}
	inTime, err = r.sideBySide(ctx, names, func(ctx context.Context, i int) {
		outcomes[i] = r.carry(ctx, calls[i], terms)
		if outcomes[i].State != tool.StatePaused {
			r.seen.change(true, func(v *view) { v.completed(names[i], resultOf(outcomes[i]).Text, r.e.Mask) })
		}
	}, func(i int) {
		outcomes[i] = tool.Failed(tool.Faultf(tool.FaultCancelled, "the response ended before the call began; it never ran"))
	})
	return outcomes, inTime, err
}

// sideBySide runs call for each id and waits for all; late is told of those that
// could not begin any more. They outlive the order to stop by Grace, but not a
// cancellation; inTime is false when they had to be ended. A command that only waits
// for a person is ended with the order: what it waits for is kept.
func (r *response) sideBySide(ctx context.Context, ids []string, call func(ctx context.Context, i int), late func(i int)) (inTime bool, err error) {
	callCtx, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	own, ends := make([]context.Context, len(ids)), map[string]context.CancelCauseFunc{}
	for i, id := range ids {
		own[i], ends[id] = context.WithCancelCause(callCtx)
		defer ends[id](nil)
	}
	done := make(chan struct{})
	watch := lifecycle.New(context.WithoutCancel(ctx))
	watch.Go("grace", func(context.Context) error { return r.grace(ctx, done, ends, end) })
	group := lifecycle.New(callCtx)
	for i, id := range ids {
		if !group.Go("call "+id, func(context.Context) error { call(own[i], i); return nil }) {
			late(i)
		}
	}
	err = group.Wait()
	inTime = callCtx.Err() == nil
	close(done)
	_ = watch.Wait() // returns no error
	return inTime, err
}

func (r *response) grace(ctx context.Context, done <-chan struct{}, ends map[string]context.CancelCauseFunc, end context.CancelCauseFunc) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	if r.cancelled() {
		if r.owner != nil {
			r.owner.Cancel(context.WithoutCancel(ctx)) // before the command's processes end: it can submit nothing more
		}
		end(errCancelled)
		return nil
	}
	for _, id := range r.waiting(ctx) {
		if stop := ends[id]; stop != nil {
			stop(errStopping)
		}
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

// waiting are the calls inside which one waits for a person.
func (r *response) waiting(ctx context.Context) (ids []string) {
	var held []wait
	err := r.e.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
		held, err = waits(q, r.row)
		return err
	})
	if err != nil {
		r.e.Log.Warn("what a response waits for cannot be read; its commands have the whole grace", "turn", r.id, "err", err)
	}
	for _, w := range held {
		if !w.begun {
			ids = append(ids, w.maker())
		}
	}
	return ids
}
