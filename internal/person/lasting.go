package person

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"mindroom/internal/matrix/seal"
	"mindroom/internal/secret"
)

// lasting is what a folder keeps of a device, in device.json; its keys lie in
// keys.db beside it. Neither token nor password is kept.
type lasting struct {
	Device string `json:"device_id"`
	// Key encrypts what is in keys.db.
	Key string `json:"key"`

	folder string
	lock   *os.File // held as long as the device is in use
}

// ErrInUse says that another program uses the device of a folder now.
var ErrInUse = errors.New("another program uses this device now")

// Lasts reports whether a folder keeps a device.
func Lasts(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "device.json"))
	return err == nil
}

// Lasting reports whether the client's device is kept in a folder.
func (c *Client) Lasting() bool { return c.lasting != nil }

// LoginLasting logs in by password as the device that folder keeps, which it
// makes, with mode 0700, when there is none, and makes the client able to read and
// write in encrypted rooms, also what an earlier use of the device could read. The
// folder is of this account alone. Keys that are lost, or do not belong to what the
// homeserver knows, are given up together with their device.
//
// ErrInUse when another program uses the folder; seal.ErrLeftOut in a program
// without encryption. Close gives the folder free and leaves the device logged in.
func LoginLasting(ctx context.Context, homeserver, user, password, folder string) (*Client, error) {
	kept, err := take(folder)
	if err != nil {
		return nil, fmt.Errorf("the device of %s in %s: %w", user, folder, err)
	}
	for again := false; ; again = true {
		c, err := kept.login(ctx, homeserver, user, password)
		if err == nil {
			c.lasting = kept
			return c, nil
		}
		if again || !errors.Is(err, seal.ErrForeign) {
			return nil, errors.Join(err, kept.lock.Close())
		}
		if err := kept.renew(); err != nil {
			return nil, errors.Join(err, kept.lock.Close())
		}
	}
}

func take(folder string) (*lasting, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrInUse
		}
		return nil, errors.Join(err, lock.Close())
	}
	kept := &lasting{folder: folder, lock: lock}
	raw, err := os.ReadFile(filepath.Join(folder, "device.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = kept.renew()
	case err == nil:
		if err = json.Unmarshal(raw, kept); err == nil && (kept.Device == "" || kept.Key == "") {
			err = errors.New("device.json names no device and key: delete the folder, and a new device is made")
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return kept, nil
}

// renew makes another device. It is on disk before it is used, so that a crash
// leaves no device at the homeserver that nobody knows.
func (l *lasting) renew() error {
	for _, name := range []string{"keys.db", "keys.db-wal", "keys.db-shm"} {
		if err := os.Remove(filepath.Join(l.folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	l.Device, l.Key = "MINDROOM"+rand.Text()[:10], rand.Text()
	raw, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.folder, "device.json"), raw, 0o600)
}

// login logs in as the device. One whose keys are no good is logged out for good.
func (l *lasting) login(ctx context.Context, homeserver, user, password string) (*Client, error) {
	c, err := login(ctx, homeserver, user, password, l.Device)
	if err != nil {
		return nil, err
	}
	err = c.secure(ctx, filepath.Join(l.folder, "keys.db"), secret.New(l.Key))
	if errors.Is(err, seal.ErrForeign) {
		err = errors.Join(err, c.Logout(ctx))
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Sign has the account sign this device with its recovery key, so that others see
// it as verified. The client must be able to encrypt. An account that has no
// identity yet gets none: the client with which it is verified makes that.
func (c *Client) Sign(ctx context.Context, recovery secret.Value) error {
	if err := c.device.Identify(ctx, seal.Identity{Recovery: recovery}); err != nil {
		return fmt.Errorf("sign the device of %s: %w", c.UserID, err)
	}
	return nil
}
