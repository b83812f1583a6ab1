package retention

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mindroom/internal/audit"
	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/command"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/media"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/turn"
)

const (
	// firstAfter is how long after the start the first pass comes, and passEvery
	// how long after the end of one the next.
	firstAfter = 10 * time.Minute
	passEvery  = 6 * time.Hour
)

// Config is what a Keeper needs. DB, Journal and Outbox are required and of one
// database.
type Config struct {
	DB      *store.DB
	Journal *chat.Journal
	Outbox  *chat.Outbox
	Media   *media.Store // nil: there are no files
	// Conversations is how long messages, turns and commands are kept, Audit how long the
	// records of calls whose run or turn is gone, Files how long files. All are positive.
	Conversations, Audit, Files time.Duration
	Wall                        clock.Wall   // nil is the system clock
	Log                         *slog.Logger // nil is slog.Default()
}

// Keeper makes the passes of one database.
type Keeper struct {
	Config
	steady *clock.Steady
}

// New makes a Keeper. The clock is believed as it is now.
func New(c Config) *Keeper {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &Keeper{Config: c, steady: clock.NewSteady(c.Wall)}
}

// Deleted counts what one pass deleted.
type Deleted struct {
	Turns, Deliveries, Events, Commands, Audit, Files int
	// Bytes is by how much the file became smaller.
	Bytes int64
}

// Run makes a pass some time after it was called and then again and again,
// until ctx ends. It returns nil.
func (k *Keeper) Run(ctx context.Context) error {
	timer := time.NewTimer(firstAfter)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-timer.C:
	}
	pass := func(ctx context.Context) error {
		done, err := k.Pass(ctx)
		if err != nil && ctx.Err() == nil {
			k.Log.Warn("old rows could not all be deleted; they are tried again", "error", err)
		}
		if done != (Deleted{}) {
			k.Log.Info("old rows were deleted", "turns", done.Turns, "deliveries", done.Deliveries, "events", done.Events, "commands", done.Commands, "audit", done.Audit, "files", done.Files, "bytes", done.Bytes)
		}
		return nil
	}
	if err := pass(ctx); err != nil {
		return err
	}
	return lifecycle.Every(ctx, passEvery, pass)
}

// Pass deletes once what is old enough now. Its error joins those of its parts.
func (k *Keeper) Pass(ctx context.Context) (d Deleted, err error) {
	now := k.steady.Now()
	before := now.Add(-k.Conversations)
	var errs [8]error
	// Turns go first: what a room says may go once no turn of it is live.
	d.Turns, errs[0] = turn.Prune(ctx, k.DB, before)
	d.Deliveries, errs[1] = k.Outbox.Prune(ctx, before, turn.Busy)
	d.Events, errs[2] = k.Journal.Prune(ctx, before, turn.Busy)
	held, err := k.Journal.PruneHeld(ctx, before)
	d.Events, errs[7] = d.Events+held, err
	d.Audit, errs[3] = audit.Prune(ctx, k.DB, now.Add(-k.Audit), owned)
	d.Commands, errs[4] = command.Prune(ctx, k.DB, before)
	if k.Media != nil {
		d.Files, errs[6] = k.Media.Prune(ctx, now, k.Files, chat.Held, turn.Held)
	}
	d.Bytes, errs[5] = k.DB.Shrink(ctx)
	return d, errors.Join(errs[:]...)
}

// owned tells whether the run or the turn of that id is still there.
func owned(q store.Queryer, owner string) (bool, error) {
	if _, found, err := turn.Read(q, owner); err != nil || found {
		return found, err
	}
	_, found, err := script.Read(q, identity.RunID(owner))
	return found, err
}
