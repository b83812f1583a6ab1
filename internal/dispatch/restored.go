package dispatch

import (
	"context"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// ReasonRestored: the message is from between a backup and its restoring, and
// the account has spoken after it.
const ReasonRestored Reason = "answered_before_the_restore"

// sinceBackup corrects what was decided on a message from before the database was
// restored from a backup. The process that was lost may have acted on it: its
// account is taken to have answered when it spoke in that conversation since, and
// a command, a decision or a stop is never carried out a second time.
func (p *Pump) sinceBackup(ctx context.Context, e chat.Event, v verdict) (verdict, error) {
	if v.decision.Action == Ignore || v.decision.Action == Defer {
		return v, nil
	}
	var at int64
	var heard, spoke bool
	err := p.DB.Read(ctx, func(r *store.Reader) (err error) {
		if at, heard, err = p.Journal.Restored(r, e.Account); err == nil && e.OriginTS < at && heard {
			spoke, err = p.Journal.SpokeAfter(r, e, v.root)
		}
		return err
	})
	switch {
	case err != nil:
		return verdict{}, err
	case e.OriginTS >= at:
		return v, nil
	case !heard:
		return verdict{decision: Decision{Action: Defer, Reason: ReasonRestored}}, nil
	case spoke, v.decision.Action != Answer && v.decision.Action != Note:
		return verdict{decision: ignore(ReasonRestored)}, nil
	}
	return v, nil
}
