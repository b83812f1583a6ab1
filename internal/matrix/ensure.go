package matrix

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/secret"
)

// Ensure makes the account of key ready: it uses the stored token when the
// homeserver still takes it, else logs in with the stored password on the same
// device (so that transaction ids keep their meaning), else registers. It
// waits as long as the homeserver is not up or busy; a *Fault that is not
// retryable says what a person has to change. Calling it again for a ready
// account only sets the display name.
func (n *Network) Ensure(ctx context.Context, key, displayName string) (*Account, error) {
	name, err := LocalPart(key, n.cfg.Namespace)
	if err != nil {
		return nil, err
	}
	log := n.cfg.Log.With("account", key)
	a := n.Account(key)
	if a == nil {
		if err := n.awaitHomeserver(ctx, log); err != nil {
			return nil, err
		}
		if a, err = n.logIn(ctx, log, key, name); err != nil {
			return nil, err
		}
		if a, err = n.equip(ctx, a); err != nil {
			return nil, err
		}
		n.mu.Lock()
		n.accounts[key] = a
		n.mu.Unlock()
	}
	if err := a.setName(ctx, displayName); err != nil {
		return nil, err
	}
	return a, nil
}

func (n *Network) logIn(ctx context.Context, log *slog.Logger, key, name string) (*Account, error) {
	row, err := n.rows.load(ctx, key)
	if errors.Is(err, errNoAccount) {
		// The password is stored before it is used: a crash after the
		// registration must not lock us out of our own account.
		row = accountRow{Key: key, LocalPart: name, Password: newPassword(), Created: n.cfg.Wall.Now()}
		err = n.rows.save(ctx, row)
	}
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", key, err)
	}
	if row.LocalPart != name {
		return nil, &Fault{Kind: KindTaken, Op: "log in as " + name,
			Hint: fmt.Sprintf("this storage belongs to account %s; restore the old namespace or use a new storage folder", row.LocalPart)}
	}
	if a, err := n.resume(ctx, log, row); a != nil || err != nil {
		return a, err
	}
	return n.authenticate(ctx, log, row)
}

// resume tries the stored token; nil without an error when there is none or it
// is not valid any more.
func (n *Network) resume(ctx context.Context, log *slog.Logger, row accountRow) (*Account, error) {
	if row.Token.Reveal() == "" {
		return nil, nil
	}
	api, err := n.client(id.UserID(row.UserID), id.DeviceID(row.DeviceID), row.Token.Reveal())
	if err != nil {
		return nil, err
	}
	who, err := patiently(ctx, log, "check the login of "+row.UserID, api.Whoami)
	switch {
	case KindOf(err) == KindTokenInvalid:
		log.Info("the stored login is not valid any more; logging in again")
		return nil, nil
	case err != nil:
		return nil, err
	case who.UserID.String() != row.UserID:
		return nil, &Fault{Kind: KindTaken, Op: "check the login of " + row.UserID,
			Hint: "the stored token belongs to " + who.UserID.String() + "; is this another homeserver?"}
	}
	return newAccount(row, api, log), nil
}

// authenticate logs in by password, or registers when the account was never
// seen, and stores the result.
func (n *Network) authenticate(ctx context.Context, log *slog.Logger, row accountRow) (*Account, error) {
	api, err := n.client("", "", "")
	if err != nil {
		return nil, err
	}
	if row.UserID == "" {
		made, err := patiently(ctx, log, "register "+row.LocalPart, func(ctx context.Context) (*mautrix.RespRegister, error) {
			return n.register(ctx, api, row.LocalPart, row.Password.Reveal())
		})
		if err == nil {
			log.Info("account registered", "user", made.UserID)
			return n.store(ctx, log, row, made.UserID, made.DeviceID, made.AccessToken)
		}
		// Taken is what a crash after the registration looks like too: the
		// password tells whether it is ours.
		if KindOf(err) != KindTaken {
			return nil, err
		}
	}
	op := "log in as " + row.LocalPart
	in, err := patiently(ctx, log, op, func(ctx context.Context) (*mautrix.RespLogin, error) {
		return api.Login(ctx, &mautrix.ReqLogin{
			Type:       mautrix.AuthTypePassword,
			Identifier: mautrix.UserIdentifier{Type: mautrix.IdentifierTypeUser, User: row.LocalPart},
			Password:   row.Password.Reveal(), DeviceID: id.DeviceID(row.DeviceID),
			InitialDeviceDisplayName: deviceName,
		})
	})
	if KindOf(err) == KindForbidden {
		return nil, &Fault{Kind: KindTaken, Op: op, err: err,
			Hint: "an account of this name exists with another password: set another MINDROOM_NAMESPACE, or delete the account at the homeserver"}
	}
	if err != nil {
		return nil, err
	}
	return n.store(ctx, log, row, in.UserID, in.DeviceID, in.AccessToken)
}

func (n *Network) store(ctx context.Context, log *slog.Logger, row accountRow, user id.UserID, device id.DeviceID, token string) (*Account, error) {
	row.UserID, row.DeviceID, row.Token = user.String(), device.String(), secret.New(token)
	if err := n.rows.save(ctx, row); err != nil {
		return nil, fmt.Errorf("account %s: %w", row.Key, err)
	}
	api, err := n.client(user, device, token)
	if err != nil {
		return nil, err
	}
	return newAccount(row, api, log), nil
}

func newAccount(row accountRow, api *mautrix.Client, log *slog.Logger) *Account {
	a := &Account{Key: row.Key, UserID: row.UserID, DeviceID: row.DeviceID, Created: row.Created, log: log,
		drain: make(chan chan struct{}), heard: make(chan struct{}), invited: make(chan struct{}, 1)}
	a.health.since = time.Now()
	a.login.Store(api)
	return a
}

// logInAgain replaces a token that the homeserver took away, by password and on
// the same device.
func (n *Network) logInAgain(ctx context.Context, a *Account) error {
	row, err := n.rows.load(ctx, a.Key)
	if err != nil {
		return fmt.Errorf("account %s: %w", a.Key, err)
	}
	fresh, err := n.authenticate(ctx, a.log, row)
	if err != nil {
		return err
	}
	a.login.Store(fresh.api())
	// A device that was deleted there comes back without its keys.
	a.presented.Store(false)
	return nil
}

// setName writes the display name when it is another one.
func (a *Account) setName(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	op := "set the display name of " + a.UserID
	have, err := patiently(ctx, a.log, op, a.api().GetOwnDisplayName)
	if err != nil && KindOf(err) != KindNotFound {
		return err
	}
	if err == nil && have.DisplayName == name {
		return nil
	}
	_, err = patiently(ctx, a.log, op, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, a.api().SetDisplayName(ctx, name)
	})
	return err
}

// newPassword is 24 random bytes, url-safe.
func newPassword() secret.Value {
	b := make([]byte, 24)
	// crypto/rand never fails: it would end the process.
	_, _ = rand.Read(b)
	return secret.New(base64.RawURLEncoding.EncodeToString(b))
}
