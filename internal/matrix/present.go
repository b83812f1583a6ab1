package matrix

import (
	"context"
	"errors"
	"fmt"
	"time"

	"maunium.net/go/mautrix"

	"mindroom/internal/matrix/seal"
	"mindroom/internal/secret"
)

// signing is how far an account is with the signature on its device. It belongs to
// whoever makes the account ready, and then to its sync loop.
type signing struct {
	done  bool // signed, or given up for good
	tried int
	due   time.Time // of the next try
}

// present makes sure that the homeserver has the device's keys, and tries that the
// account's own signature is on them. A homeserver that cannot hold signatures
// is no reason to be silent: others then see the device as not verified.
func (n *Network) present(ctx context.Context, a *Account) error {
	if a.device == nil || a.presented.Load() {
		return nil
	}
	_, err := patiently(ctx, a.log, "show the device keys of "+a.UserID, func(ctx context.Context) (struct{}, error) {
		err := a.device.Announce(ctx)
		if errors.Is(err, seal.ErrForeign) {
			err = &Fault{Kind: KindTaken, Op: "show the device keys of " + a.UserID, err: err}
		}
		return struct{}{}, err
	})
	if err != nil {
		return err
	}
	a.presented.Store(true)
	a.signing = signing{}
	_, err = briefly(ctx, a.log, "sign the device of "+a.UserID, n.signer(a))
	a.signed(ctx, err)
	return ctx.Err()
}

// signAgain tries what present could not do because the homeserver was in trouble.
func (n *Network) signAgain(ctx context.Context, a *Account) {
	if a.device == nil || a.signing.done || time.Now().Before(a.signing.due) {
		return
	}
	_, err := request(ctx, "sign the device of "+a.UserID, n.signer(a))
	a.signed(ctx, err)
}

// signed notes the outcome of a try.
func (a *Account) signed(ctx context.Context, err error) {
	switch {
	case err == nil:
		a.signing.done = true
	case ctx.Err() != nil:
	case KindOf(err).Retryable():
		a.signing.tried++
		wait := backoff(a.signing.tried+4, after(err))
		a.signing.due = time.Now().Add(wait)
		a.log.Warn("the device is not signed by its account yet; trying again", "error", err, "wait", wait)
	default:
		a.signing.done = true
		a.log.Warn("the device is not signed by its account; others will see it as not verified", "error", err)
	}
}

func (n *Network) signer(a *Account) func(context.Context) (struct{}, error) {
	op := "sign the device of " + a.UserID
	return func(ctx context.Context) (struct{}, error) {
		row, err := n.rows.load(ctx, a.Key)
		if err != nil {
			return struct{}{}, &Fault{Kind: KindLocal, Op: op, err: fmt.Errorf("account %s: %w", a.Key, err)}
		}
		err = a.device.Identify(ctx, seal.Identity{Password: row.Password, Recovery: row.Recovery,
			Save: func(ctx context.Context, key secret.Value) error {
				row.Recovery = key
				return n.rows.save(ctx, row)
			}})
		if _, http := errors.AsType[mautrix.HTTPError](err); err != nil && !http && ctx.Err() == nil {
			err = &Fault{Kind: KindRefused, Op: op, err: err} // an answer, and asking again gives the same
		}
		return struct{}{}, err
	}
}
