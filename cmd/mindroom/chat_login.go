package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"mindroom/internal/matrix/seal"
	"mindroom/internal/person"
	"mindroom/internal/secret"
)

// keysFolder is where this account's device is kept, so that what is encrypted for
// it can be read next time; empty when no place is known.
func (f *chatFlags) keysFolder(u *ui) string {
	folder := f.keys
	if folder == "" {
		if state, ok := u.lookup("XDG_STATE_HOME"); ok && filepath.IsAbs(state) {
			folder = filepath.Join(state, "mindroom", "chat")
		} else if home, ok := u.lookup("HOME"); ok && home != "" {
			folder = filepath.Join(home, ".local", "state", "mindroom", "chat")
		} else {
			return ""
		}
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(f.user), "@"), ":")
	server := f.homeserver
	if at, err := url.Parse(f.homeserver); err == nil && at.Host != "" {
		server = at.Host
	}
	return filepath.Join(folder, url.QueryEscape(server), url.QueryEscape(name))
}

const (
	checkLogin = "check --homeserver, --user and the password"
	checkRoom  = "check --room, and that you may enter it"
)

// enter logs in and joins the room: as the device that is kept, if there is one,
// else as one that ends with the chat, which is exchanged for one to be kept if
// the room is encrypted.
func (f *chatFlags) enter(ctx context.Context, u *ui, password string) (c *person.Client, room string, err error) {
	folder := f.keysFolder(u)
	if folder != "" && person.Lasts(folder) {
		c, err = f.lasting(ctx, u, password, folder)
	}
	if c == nil && err == nil {
		c, err = person.Login(ctx, f.homeserver, f.user, password)
	}
	if err != nil {
		return nil, "", f.why(ctx, err, checkLogin)
	}
	room, err = c.Join(ctx, f.room)
	if err == nil && !c.Lasting() {
		c, err = f.secure(ctx, u, c, room, password, folder)
	}
	if err != nil {
		f.leave(u, c)
		return nil, "", f.why(ctx, err, checkRoom)
	}
	return c, room, nil
}

// secure gives a device that ends with the chat what the room needs. It returns
// another client when the device was exchanged.
func (f *chatFlags) secure(ctx context.Context, u *ui, c *person.Client, room, password, folder string) (*person.Client, error) {
	encrypted, err := c.Encrypted(ctx, room)
	if err != nil {
		return c, err
	}
	if encrypted && folder != "" && !person.Lasts(folder) {
		kept, err := f.lasting(ctx, u, password, folder)
		if err != nil {
			return c, err
		}
		if kept != nil {
			f.leave(u, c)
			return kept, nil
		}
	}
	if encrypted && folder == "" {
		u.warn("the keys of this chat are not kept, so that the next one cannot read it: name a folder with --keys")
	}
	// In memory: enough for what is said from now on, also should the room be
	// encrypted while we are in it. A build without encryption then writes no more.
	if err := c.Secure(ctx); err != nil && (encrypted || !errors.Is(err, seal.ErrLeftOut)) {
		return c, err
	}
	return c, nil
}

// lasting logs in as the device that is kept; nil without an error when that
// cannot be, and one that ends with the chat has to do.
func (f *chatFlags) lasting(ctx context.Context, u *ui, password, folder string) (*person.Client, error) {
	recovery, err := f.recoveryKey()
	if err != nil {
		return nil, err
	}
	c, err := person.LoginLasting(ctx, f.homeserver, f.user, password, folder)
	switch {
	case errors.Is(err, person.ErrInUse):
		u.warn("another chat uses the keys in " + folder + ": this one has its own while it lasts, and cannot read the past")
		return nil, nil
	case errors.Is(err, seal.ErrLeftOut):
		return nil, nil
	case err != nil || recovery.IsZero():
		return c, err
	}
	if err := c.Sign(ctx, recovery); err != nil {
		u.warn(fmt.Sprintf("%v: others see this device as not verified", err))
	}
	return c, nil
}

// recoveryKey is the first line of its file; zero when none is named.
func (f *chatFlags) recoveryKey() (secret.Value, error) {
	if f.recoveryFile == "" {
		return secret.Value{}, nil
	}
	line, err := firstLine(f.recoveryFile)
	if err != nil {
		return secret.Value{}, fmt.Errorf("the recovery key cannot be read: %w: check --recovery-key-file", err)
	}
	return secret.New(strings.TrimSpace(line)), nil
}
