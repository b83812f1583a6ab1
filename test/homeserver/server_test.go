package homeserver_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/person"
	"mindroom/test/homeserver"
)

func TestMain(m *testing.M) {
	os.Exit(homeserver.Main(m, func() error { return goleak.Find() }))
}

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// A conversation with everything the product relies on: rooms, invites,
// threads, edits, reactions.
func TestConversation(t *testing.T) {
	t.Parallel()
	s, ctx := homeserver.Shared(t), deadline(t)
	ann, bob := s.Person(t, "ann"), s.Person(t, "bob")
	room, err := ann.CreateRoom(ctx, "Garden", bob.UserID)
	must(t, err)
	invited, err := bob.WaitInvite(ctx)
	must(t, err)
	if invited != room {
		t.Fatalf("invited to %s, want %s", invited, room)
	}
	_, err = bob.Join(ctx, room)
	must(t, err)
	root, err := ann.Send(ctx, room, "when do we plant?", bob.UserID)
	must(t, err)
	reply, err := bob.SendThread(ctx, room, root, "tomorow")
	must(t, err)
	_, err = bob.Edit(ctx, room, reply, "tomorrow")
	must(t, err)
	_, err = ann.React(ctx, room, reply, "👍")
	must(t, err)

	got, err := bob.WaitFor(ctx, func(e person.Event) bool { k, on := e.Reaction(); return k == "👍" && on == reply })
	must(t, err)
	if got.Sender != ann.UserID {
		t.Fatalf("reaction by %s", got.Sender)
	}
	thread, err := ann.Thread(ctx, room, root)
	must(t, err)
	if len(thread) != 1 || thread[0].ID != reply || thread[0].ThreadRoot() != root {
		t.Fatalf("thread %+v", thread)
	}
	events, err := ann.Timeline(ctx, room, 100)
	must(t, err)
	shown := person.Fold(events)
	if len(shown) != 2 || shown[1].Body() != "tomorrow" || shown[1].ThreadRoot() != root {
		t.Fatalf("shown %+v", shown)
	}
	// An event that arrived early is found by a later wait.
	if e, err := bob.WaitFor(ctx, func(e person.Event) bool { return e.ID == root }); err != nil || e.Body() != "when do we plant?" {
		t.Fatalf("%+v %v", e, err)
	}
}

// A client that leaves in the middle of its requests does not break the server
// for those that come after.
func TestClientsThatLeave(t *testing.T) {
	t.Parallel()
	s, ctx := homeserver.Shared(t), deadline(t)
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			for k := range 40 {
				hasty, cancel := context.WithTimeout(ctx, time.Duration(40*i+k)*100*time.Microsecond)
				if c, err := s.Register(hasty, "hasty-"+homeserver.Suffix(), "a password"); err == nil {
					c.Close()
				}
				cancel()
			}
		})
	}
	clients.Wait()
	c, err := s.Register(ctx, "patient-"+homeserver.Suffix(), "a password")
	must(t, err)
	c.Close()
}

func TestNameTaken(t *testing.T) {
	t.Parallel()
	s, ctx := homeserver.Shared(t), deadline(t)
	name := "carl-" + homeserver.Suffix()
	c, err := s.Register(ctx, name, "correct password")
	must(t, err)
	c.Close()
	if _, err := s.Register(ctx, name, "another one"); err == nil || !strings.Contains(err.Error(), person.ErrUserTaken.Error()) {
		t.Fatalf("got %v", err)
	}
	again, err := person.Login(ctx, s.URL, name, "correct password")
	must(t, err)
	again.Close()
}

// A folder that was given is kept: accounts and rooms are there after a second
// start.
func TestKeptFolderStartsAgain(t *testing.T) {
	t.Parallel()
	ctx, dir := deadline(t), t.TempDir()
	s, err := homeserver.Start(ctx, homeserver.Options{Dir: dir, ServerName: "kept.example"})
	must(t, err)
	c, err := s.Register(ctx, "dora", "a password")
	must(t, err)
	c.Close()
	s.Stop()
	if resp, err := http.Get(s.URL + "/_matrix/client/versions"); err == nil {
		resp.Body.Close()
		t.Fatal("it still answers after Stop")
	}
	s, err = homeserver.Start(ctx, homeserver.Options{Dir: dir, ServerName: "kept.example"})
	must(t, err)
	defer s.Stop()
	c, err = person.Login(ctx, s.URL, "dora", "a password")
	must(t, err)
	if c.UserID != "@dora:kept.example" {
		t.Fatalf("user id %s", c.UserID)
	}
	c.Close()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
