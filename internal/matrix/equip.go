package matrix

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"mindroom/internal/matrix/seal"
	"mindroom/internal/secret"
)

// equip gives an account the device that encrypts for it, when there is a
// folder for its keys. A store that is lost, or is another device's, cannot be
// repaired: the account then logs in as a new device, and returns as another
// *Account.
func (n *Network) equip(ctx context.Context, a *Account) (*Account, error) {
	if n.cfg.CryptoFolder == "" {
		return a, nil
	}
	if err := os.MkdirAll(n.cfg.CryptoFolder, 0o700); err != nil {
		return nil, cryptoFault(a, err)
	}
	for again := false; ; again = true {
		err := n.openDevice(ctx, a)
		if err == nil {
			err = n.present(ctx, a)
		}
		switch {
		case err == nil:
			return a, nil
		case errors.Is(err, seal.ErrLeftOut):
			a.log.Warn("encrypted rooms are not written to", "error", err)
			return a, nil
		case !errors.Is(err, seal.ErrForeign) || again:
			return nil, cryptoFault(a, errors.Join(err, n.unequip(a)))
		}
		a.log.Warn("the keys of this account's device are lost; logging in as a new device", "device", a.DeviceID, "error", err)
		if a, err = n.renew(ctx, a); err != nil {
			return nil, err
		}
	}
}

func cryptoFault(a *Account, err error) error {
	if _, ok := errors.AsType[*Fault](err); ok {
		return err
	}
	return &Fault{Kind: KindLocal, Op: "open the crypto store of " + a.Key, err: err,
		Hint: "check that the control-state folder can be written and its disk is not full"}
}

func (n *Network) cryptoPath(key string) string {
	return filepath.Join(n.cfg.CryptoFolder, key+".db")
}

func (n *Network) openDevice(ctx context.Context, a *Account) error {
	row, err := n.rows.load(ctx, a.Key)
	if err != nil {
		return err
	}
	if row.CryptoKey.IsZero() {
		// Durable before anything is encrypted with it.
		row.CryptoKey = newPassword()
		if err := n.rows.save(ctx, row); err != nil {
			return err
		}
	}
	api, err := n.client(a.id(), a.api().DeviceID, "")
	if err != nil {
		return err
	}
	api.Client = &http.Client{Transport: bearer{n.transport, a}, Timeout: requestTimeout}
	a.device, err = seal.Open(ctx, seal.Config{
		Client: api, Path: n.cryptoPath(a.Key), Key: row.CryptoKey, Rooms: viewRooms{n.view}, Log: a.log,
	})
	if err != nil {
		a.device = nil // an interface around nothing is not nil
	}
	return err
}

// bearer sends the account's token of the moment: it changes when the
// homeserver takes it away.
type bearer struct {
	next http.RoundTripper
	a    *Account
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.a.api().AccessToken)
	return b.next.RoundTrip(r)
}

// unequip closes the device, if there is one.
func (n *Network) unequip(a *Account) error {
	if a.device == nil {
		return nil
	}
	device := a.device
	a.device = nil
	return device.Close()
}

// renew moves the store aside, where a person may look at it, and logs in by
// password as a new device.
func (n *Network) renew(ctx context.Context, a *Account) (*Account, error) {
	if err := n.unequip(a); err != nil {
		return nil, cryptoFault(a, err)
	}
	aside := filepath.Join(n.cfg.CryptoFolder, a.Key+"."+filepath.Base(a.DeviceID)+".lost")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(n.cryptoPath(a.Key)+suffix, aside+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, cryptoFault(a, err)
		}
	}
	row, err := n.rows.load(ctx, a.Key)
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", a.Key, err)
	}
	row.DeviceID, row.Token, row.CryptoKey = "", secret.Value{}, secret.Value{}
	if err := n.rows.save(ctx, row); err != nil {
		return nil, fmt.Errorf("account %s: %w", a.Key, err)
	}
	return n.authenticate(ctx, a.log, row)
}
