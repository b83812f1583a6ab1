package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"mindroom/internal/script"
	"mindroom/internal/store"
)

// patience bounds a wait that only a fault makes long.
const patience = 90 * time.Second

// load starts the long scripts, keeps them busy round by round, and has those
// that count end by themselves. The holders are left to the stop.
func (h *house) load(ctx context.Context) error {
	for range h.plan.Holders {
		run, err := h.launch(ctx, "holder")
		if err != nil {
			return err
		}
		h.holders = append(h.holders, run)
	}
	for range h.plan.Callers {
		run, err := h.launch(ctx, "caller")
		if err != nil {
			return err
		}
		h.callers = append(h.callers, run)
	}
	h.began = time.Now()
	for taken := 0; time.Since(h.began) < h.plan.Length || taken < fewest; taken++ {
		if err := h.round(ctx); err != nil {
			return err
		}
		s, err := h.settle(ctx)
		if err != nil {
			return err
		}
		h.tell(line{Settled: &s})
		h.kit.resume()
		h.kit.open()
	}
	return h.end(ctx)
}

// round is load with launches and cancellations, for one round's time.
func (h *house) round(ctx context.Context) error {
	over, cancel := context.WithTimeout(ctx, h.plan.Round)
	defer cancel()
	wait := h.churn(ctx, over)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for n := 1; over.Err() == nil; n++ {
		select {
		case <-over.Done():
		case <-tick.C:
			h.kit.open()
			if n%6 != 0 {
				continue
			}
			h.progress("%s  %d calls  %d launches  %d cancelled  %d goroutines", time.Since(h.began).Round(time.Second),
				h.kit.calls(), h.launched.Load(), h.cancelled.Load(), runtime.NumGoroutine())
		}
	}
	wait()
	return context.Cause(ctx)
}

// settle brings the primary into the state that samples are compared in, and
// takes one. The kit stays paused.
func (h *house) settle(ctx context.Context) (s Sample, err error) {
	h.kit.pause()
	err = h.until(ctx, "every caller is in a call and every held call is claimed", func() (bool, error) {
		if h.kit.waiting() != h.plan.Callers {
			return false, nil
		}
		held, err := h.claimed(ctx, h.holders)
		return held == h.plan.Held(), err
	})
	if err != nil {
		return s, err
	}
	runs, err := h.rig.Manager.All(ctx, false, 1000)
	if err != nil {
		return s, err
	}
	s.At, s.Calls, s.Runs = time.Since(h.began).Seconds(), h.kit.calls(), len(runs)
	return s, measure(&s, h.rig.Runs(), h.rig.DB.Path())
}

// claimed is how many calls of the runs are pending.
func (h *house) claimed(ctx context.Context, runs []*script.Run) (n int, err error) {
	err = h.rig.DB.Read(ctx, func(q *store.Reader) error {
		for _, r := range runs {
			counts, err := script.Calls(q, r.ID)
			if err != nil {
				return err
			}
			n += counts.Pending
		}
		return nil
	})
	return n, err
}

// end has the counting scripts end by themselves.
func (h *house) end(ctx context.Context) error {
	h.kit.finish()
	within, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the callers do not end within %s", patience))
	defer cancel()
	for _, r := range h.callers {
		if _, err := h.rig.Finish(within, r.ID); err != nil {
			return err
		}
	}
	return nil
}

// until looks again and again: what is waited for happens in scripts.
func (h *house) until(ctx context.Context, what string, ok func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("never within %s: %s", patience, what))
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if done, err := ok(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
