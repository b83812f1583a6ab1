package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/person"
	"mindroom/test/homeserver"
)

// What init writes is enough: the runtime starts with it, the owner is invited,
// and the agent answers.
func TestInitLetsTheOwnerTalk(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	server := homeserver.Shared(t)
	owner := server.Person(t, "owner")
	path := filepath.Join(t.TempDir(), "config.yaml")
	mindroom := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		var said bytes.Buffer
		cmd := exec.CommandContext(ctx, "mindroom", args...)
		cmd.Env = append(os.Environ(), "MINDROOM_NAMESPACE="+homeserver.Suffix(), "NO_COLOR=1")
		cmd.Stdout, cmd.Stderr = &said, &said
		return cmd, &said
	}
	first, said := mindroom("config", "init", "--path", path, "--provider", "scripted", "--homeserver", server.URL, "--owner", owner.UserID)
	if err := first.Run(); err != nil {
		t.Fatal(err, said)
	}
	runtime, said := mindroom("run", "--config", path, "--api-host", "127.0.0.1", "--api-port", "-1")
	if err := runtime.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = runtime.Process.Signal(syscall.SIGTERM)
		if err := runtime.Wait(); err != nil || t.Failed() {
			t.Errorf("run ended with %v:\n%s", err, said)
		}
	}()
	room, err := owner.WaitInvite(ctx)
	if err != nil {
		t.Fatal("nobody invited the owner: ", err)
	}
	if _, err := owner.Join(ctx, room); err != nil {
		t.Fatal(err)
	}
	agent, err := memberCalled(ctx, owner, room, "Mind")
	if err != nil {
		t.Fatal("the agent is not in the room: ", err)
	}
	if _, err := owner.Send(ctx, room, "hello "+agent, agent); err != nil {
		t.Fatal(err)
	}
	if _, err := owner.WaitFor(ctx, func(e person.Event) bool { return e.Sender == agent && strings.Contains(e.Body(), "hello") }); err != nil {
		t.Error("the agent did not answer: ", err)
	}
}

// memberCalled is the Matrix id of a member of a room, who may still be on the way.
func memberCalled(ctx context.Context, c *person.Client, room, name string) (string, error) {
	names, err := c.Names(ctx, room)
	if err != nil {
		return "", err
	}
	for id, called := range names {
		if called == name {
			return id, nil
		}
	}
	joined, err := c.WaitFor(ctx, func(e person.Event) bool {
		return e.Type == "m.room.member" && e.StateKey != nil && e.Content["membership"] == "join" && e.Content["displayname"] == name
	})
	if err != nil {
		return "", err
	}
	return *joined.StateKey, nil
}
