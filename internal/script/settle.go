package script

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mindroom/internal/excerpt"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/worker"
)

// watch waits, for as long as the manager runs, until the process of a run
// ended, and settles the run then. Without it an end would be noticed only by
// the next pass.
func (m *Manager) watch(lv *live) {
	ended := m.cfg.Backend.Ended(lv.run.ID)
	if ended == nil {
		return
	}
	m.cfg.Run.Go("watch "+string(lv.run.ID), func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return nil
		case <-lv.gone:
			return nil
		case <-ended:
		}
		lv.mu.Lock()
		defer lv.mu.Unlock()
		if _, err := m.settle(ctx, lv, false); err != nil {
			m.log.Warn("an ended run is not settled yet; it is tried again", "run", lv.run.ID, "error", err)
		}
		return nil
	})
}

// settle takes a run whose process ended, or is to end, to its terminal state:
// end and prove dead, record, clean up, publish. It is called with the run's
// lock held and may be called again after any failure. An unproven end is
// KindUnconfirmed and changes nothing durable.
func (m *Manager) settle(ctx context.Context, lv *live, graceful bool) (*Run, error) {
	r, err := m.settleNow(ctx, lv, graceful)
	m.note(lv, err)
	return r, err
}

func (m *Manager) settleNow(ctx context.Context, lv *live, graceful bool) (*Run, error) {
	ctx = context.WithoutCancel(ctx)
	if d := lv.doomed.Load(); d != nil {
		if err := m.revoke(ctx, lv, d.reason, d.text); err != nil {
			return nil, err
		}
	}
	r, err := m.get(ctx, lv.run.ID)
	if err != nil || r.State.Terminal() {
		return r, err
	}
	if r.FinishedAt.IsZero() {
		if err := m.proveEnded(ctx, lv, r, graceful); err != nil {
			return r, err
		}
	}
	if err := m.finish(ctx, lv); err != nil {
		return r, err
	}
	return m.get(ctx, lv.run.ID)
}

// proveEnded makes sure that no process of the run is left and records how it
// ended.
func (m *Manager) proveEnded(ctx context.Context, lv *live, r *Run, graceful bool) error {
	exit, ok := m.cfg.Backend.Exit(r.ID)
	if !ok {
		if r.Handle == nil {
			// Either the process never started, or its start is not known. The
			// folder tells: End finds a supervisor there, or proves there is none.
			r.Handle = &worker.Handle{Version: 1, Backend: m.cfg.Backend.Name()}
		}
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		var err error
		exit, err = m.cfg.Backend.End(bounded, r.ID, string(m.folder(r.ID)), *r.Handle, graceful)
		switch {
		case errors.Is(err, worker.ErrLost):
			exit = worker.Exit{Cause: worker.CauseLost, At: m.cfg.Now.Now()}
		case err != nil:
			e := errorf(KindUnconfirmed, "the end of the script's processes is not confirmed yet; the request is stored and tried again (%v)", err)
			e.Retryable, e.Err = true, err
			return e
		}
	}
	m.reached(step.RunExitProven)
	reason, e := describe(exit)
	err := m.write(ctx, func(tx *store.Tx) error {
		if err := recordExit(tx, r.ID, e, reason, m.cfg.Now.Now()); err != nil {
			return err
		}
		return m.withdraw(tx, r.ID, reason)
	})
	if err != nil {
		return err
	}
	m.closeCalls(lv)
	m.reached(step.RunExitRecorded)
	return nil
}

// finish cleans up what belongs to a run and publishes its terminal state, in
// this order (S77).
func (m *Manager) finish(ctx context.Context, lv *live) error {
	m.closeCalls(lv)
	lv.calls.wait()
	if err := m.folder(lv.run.ID).remove(); err != nil {
		return err
	}
	m.reached(step.RunCleaned)
	err := m.write(ctx, func(tx *store.Tx) error {
		now := m.cfg.Now.Now()
		if err := m.settleOrphans(tx, lv.run, now); err != nil {
			return err
		}
		if err := finalise(tx, lv.run.ID, now); err != nil {
			return err
		}
		return m.tellEnd(tx, lv.run.ID)
	})
	if err != nil {
		return err
	}
	m.cfg.Backend.Forget(lv.run.ID)
	m.forget(lv)
	m.reached(step.RunTerminal)
	return nil
}

// describe says how a process ended, and the reason that is stored if nobody
// gave one before.
func describe(exit worker.Exit) (Reason, ended) {
	e := ended{at: exit.At, code: exit.Code, signal: exit.Signal, output: exit.Output}
	switch exit.Cause {
	case worker.CauseDeadline:
		e.err = "the script reached max_runtime_hours and was ended"
		return ReasonMaxRuntime, e
	case worker.CauseLost:
		e.err = "the supervisor of the script was lost, and with it what the script wrote last; start it again if it is still needed"
		return ReasonSupervisor, e
	case worker.CauseOrphaned:
		e.err = "the runtime was gone for too long, so the script was ended"
		return ReasonRestart, e
	case worker.CauseEnded:
		// Whoever of us asks for an end has stored why before.
		e.err = "the supervisor of the script was told from outside to end, and ended the script; start it again if it is still needed"
		return ReasonSupervisor, e
	case worker.CauseSignalled:
		e.err = fmt.Sprintf("the script was killed from outside by %s", exit.Signal)
	default:
		if exit.Signal != "" {
			e.err = "the script died by " + exit.Signal
		} else if exit.Code != nil && *exit.Code != 0 {
			e.err = fmt.Sprintf("the script ended with exit code %d", *exit.Code)
		}
	}
	if line := lastLine(exit.Output); e.err != "" && line != "" {
		e.err += ": " + line
	}
	return ReasonProcessExit, e
}

// lastLine is the last line a program wrote, for its one-line error; the whole
// output is kept beside it.
func lastLine(output string) string {
	output = strings.TrimSpace(output)
	if i := strings.LastIndexByte(output, '\n'); i >= 0 {
		output = output[i+1:]
	}
	return excerpt.Head(strings.TrimSpace(output), 300)
}
