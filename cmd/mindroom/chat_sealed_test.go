//go:build goolm

package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/person"
)

// sealedGuests are guests in an encrypted room, in which something was said before.
func sealedGuests(t *testing.T) guests {
	t.Helper()
	g := invite(t)
	for _, err := range []error{g.keeper.Secure(t.Context()), g.keeper.Encrypt(t.Context(), g.room)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.keeper.Send(t.Context(), g.room, "said to nobody"); err != nil {
		t.Fatal(err)
	}
	return g
}

// ask runs a chat that sends one line and waits for its answer.
func (g guests) ask(t *testing.T, state, line string) (told, notes string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answered := make(chan error, 1)
	go func() { answered <- g.answer(ctx, line) }()
	cmd := g.command(ctx, "--wait", "40s")
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state)
	cmd.Stdin = strings.NewReader(line + "\n")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if sent := <-answered; err != nil || sent != nil {
		t.Fatalf("%v, %v, printed:\n%s%s", err, sent, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// Two chats in an encrypted room: nothing leaves in clear, the second reads what
// the first did, as the same device, and both say what they cannot read.
func TestChatInAnEncryptedRoom(t *testing.T) {
	t.Parallel()
	g, state := sealedGuests(t), t.TempDir()
	first, notes := g.ask(t, state, "is it so?")
	if !strings.Contains(first, "It is\n  so.") || !strings.Contains(first, "welcome") {
		t.Errorf("printed:\n%s", first)
	}
	if !strings.Contains(notes, "1 of the messages of the past cannot be read here") {
		t.Errorf("notes:\n%s", notes)
	}
	device := kept(t, state)
	missed, err := g.keeper.Send(t.Context(), g.room, "while you were away")
	if err != nil {
		t.Fatal(err)
	}
	second, notes := g.ask(t, state, "and again?")
	for _, want := range []string{"is it so?", "It is\n  so.", "while you were away", "and again?"} {
		if !strings.Contains(second, want) {
			t.Errorf("%q (%s) is not in:\n%s\nnotes:\n%s", want, missed, second, notes)
		}
	}
	all, err := g.keeper.Timeline(t.Context(), g.room, 200)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if !strings.HasPrefix(e.Sender, "@"+g.user+":") || e.StateKey != nil {
			continue
		}
		if !e.Encrypted || e.Body() == "" {
			t.Errorf("%s in clear, or not for everybody: %v", e.Type, e.Content)
		}
	}
	if again := kept(t, state); again != device {
		t.Errorf("device %s became %s", device, again)
	}
	g.keptWell(t, state)
}

// kept is what is kept of the one device in a state folder.
func kept(t *testing.T, state string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(state, "mindroom", "chat", "*", "*", "device.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("devices %v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// keptWell looks at what a chat leaves on disk.
func (g guests) keptWell(t *testing.T, state string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == state {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: %v", path, info.Mode())
		}
		if d.IsDir() {
			return nil
		}
		files++
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), g.password) || strings.Contains(string(raw), "It is") {
			t.Errorf("%s holds the password, or what was said", path)
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files, %v", files, err)
	}
}

// A second chat of the account at the same time has keys of its own.
func TestTwoChatsAtOnce(t *testing.T) {
	t.Parallel()
	g, state := sealedGuests(t), t.TempDir()
	first, err := person.LoginLasting(t.Context(), g.server.URL, g.user, g.password,
		filepath.Join(state, "mindroom", "chat", strings.NewReplacer("http://", "", ":", "%3A").Replace(g.server.URL), g.user))
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	told, notes := g.ask(t, state, "me too?")
	if !strings.Contains(told, "It is\n  so.") || !strings.Contains(notes, "another chat uses the keys") {
		t.Errorf("printed:\n%s\nnotes:\n%s", told, notes)
	}
	if _, err := first.Members(t.Context(), g.room); err != nil {
		t.Errorf("the first chat lost its login: %v", err)
	}
}

// A chat in a room without encryption leaves nothing behind.
func TestChatInClearKeepsNothing(t *testing.T) {
	t.Parallel()
	g, state := invite(t), t.TempDir()
	g.ask(t, state, "is it so?")
	if left, err := os.ReadDir(state); err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
