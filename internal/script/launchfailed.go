package script

import (
	"context"
	"errors"
	"fmt"
)

// launchFailed ends a run of which no process exists.
func (m *Manager) launchFailed(ctx context.Context, lv *live, cause error) error {
	text := fmt.Sprintf("the script could not be started: %v", cause)
	if err := m.condemn(ctx, lv, ReasonLaunchFailed, text); err != nil {
		return errors.Join(cause, err)
	}
	if err := m.settleUnstarted(ctx, lv); err != nil {
		return errors.Join(cause, err)
	}
	return &Error{Kind: KindLaunchFailed, Message: text, Err: cause}
}

// ambiguous ends a run of which a process may exist: it is ended and proven
// dead, and the run is interrupted, never published as running.
func (m *Manager) ambiguous(ctx context.Context, lv *live, cause error) error {
	text := fmt.Sprintf("the launch could not be confirmed: %v", cause)
	if err := m.condemn(ctx, lv, ReasonAmbiguous, text); err != nil {
		return errors.Join(cause, err)
	}
	if _, err := m.settle(ctx, lv, false); err != nil {
		m.log.Warn("an unconfirmed launch is not settled yet; it is tried again", "run", lv.run.ID, "error", err)
	}
	return &Error{Kind: KindLaunchAmbiguous, Message: text, Err: cause}
}

// condemn revokes a run that must end whether or not that can be stored now. If
// it cannot, its calls are closed all the same, and every pass tries again.
func (m *Manager) condemn(ctx context.Context, lv *live, reason Reason, text string) error {
	lv.doomed.Store(&doom{reason, text})
	err := m.revoke(ctx, lv, reason, text)
	if err != nil {
		m.silence(lv)
		lv.calls.interrupt()
	}
	return err
}

// settleUnstarted finishes a run whose process was never started.
func (m *Manager) settleUnstarted(ctx context.Context, lv *live) error {
	return m.finish(ctx, lv)
}
