package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/message"
	"mindroom/internal/model/modeltest"
	"mindroom/internal/model/modeltest/speech"
	"mindroom/internal/person"
	"mindroom/test/homeserver"
	"mindroom/test/primary"
)

const failingConfig = `
models:
  default: {provider: anthropic, id: test-model, host: %q}
agents:
  watcher: {display_name: Watcher, role: You watch., rooms: [operations]}
authorization:
  room_permissions: {operations: [%q]}
defaults: {tools: []}
`

// room is a person in a room with an agent whose provider fails.
type room struct {
	t      *testing.T
	person *person.Client
	id     string
}

func (r *room) within() context.Context {
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *room) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// answers are the agent's messages in the thread of a question, as a client shows them.
func (r *room) answers(root string) []person.Event {
	r.t.Helper()
	all, err := r.person.Timeline(r.within(), r.id, 500)
	r.must(err)
	var found []person.Event
	for _, e := range person.Fold(all) {
		if e.Sender != r.person.UserID && e.ThreadRoot() == root {
			found = append(found, e)
		}
	}
	return found
}

// until waits until the one answer to a question is as ok wants it.
func (r *room) until(root, what string, ok func(person.Event) bool) person.Event {
	r.t.Helper()
	ctx := r.within()
	for {
		all := r.answers(root)
		if len(all) > 1 {
			r.t.Fatalf("one question has %d answers", len(all))
		}
		if len(all) == 1 && ok(all[0]) {
			return all[0]
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			r.t.Fatalf("never %s: %d answers", what, len(all))
		}
	}
}

func (r *room) ends(root string) person.Event {
	r.t.Helper()
	return r.until(root, "a finished answer", func(e person.Event) bool {
		status, _ := e.Content[message.KeyStreamStatus].(string)
		return message.Status(status).Terminal()
	})
}

// TestFailingProviderInARealRoom has a person read what a provider's faults come
// to, with the built binary, its own retries, and a real homeserver.
func TestFailingProviderInARealRoom(t *testing.T) {
	t.Parallel()
	d := speech.Anthropic()
	fine := modeltest.Scene{Frames: d.Frames(modeltest.Reply{Text: []string{"All ", "is ", "well."}})}
	begun := func(then modeltest.After) modeltest.Scene {
		frames := d.Frames(modeltest.Reply{Text: []string{"Once ", "upon ", "a time"}})
		for i, f := range frames {
			if strings.Contains(f, "upon ") {
				return modeltest.Scene{Frames: frames[:i+1], Then: then}
			}
		}
		panic("the reply has no such frame")
	}
	refused := modeltest.Scene{Status: 401, Body: d.ErrorBody("the key " + modeltest.Key + " is wrong")}
	broken := modeltest.Scene{Status: 500, Body: d.ErrorBody("oops " + modeltest.Key)}

	server := homeserver.Shared(t)
	model := modeltest.NewServer(t)
	model.Scenes = []modeltest.Scene{refused, broken, fine, begun(modeltest.Cut), begun(modeltest.Hang), fine}
	folder := t.TempDir()
	r := &room{t: t, person: server.Person(t, "ann")}
	r.must(os.WriteFile(filepath.Join(folder, "config.yaml"), fmt.Appendf(nil, failingConfig, model.URL, r.person.UserID), 0o600))
	p, err := primary.Start(bin, folder, "MATRIX_HOMESERVER="+server.URL, "MINDROOM_NAMESPACE="+homeserver.Suffix(), "ANTHROPIC_API_KEY="+modeltest.Key)
	r.must(err)
	t.Cleanup(p.Kill)
	ready, err := p.AwaitReady(r.within())
	if err != nil || !ready {
		t.Fatalf("the runtime is not ready: %v", err)
	}
	invited, err := r.person.WaitInvite(r.within())
	r.must(err)
	r.id, err = r.person.Join(r.within(), invited)
	r.must(err)

	for _, c := range []struct {
		name     string
		says     []string
		stops    bool
		requests int
	}{
		{"wrong key", []string{"refused the API key", "ANTHROPIC_API_KEY"}, false, 1},
		{"broken, then well", []string{"All is well."}, false, 3},
		{"cut after text", []string{"Once upon", "the connection broke", "Please try again"}, false, 4},
		{"stalled, and stopped by the person", []string{"Once upon", "cancelled by user"}, true, 5},
		{"well", []string{"All is well."}, false, 6},
	} {
		root, err := r.person.Send(r.within(), r.id, c.name)
		r.must(err)
		if c.stops {
			growing := r.until(root, "what was said before the stall", func(e person.Event) bool { return strings.Contains(e.Body(), "Once upon") })
			_, err := r.person.React(r.within(), r.id, growing.ID, "🛑")
			r.must(err)
		}
		body := r.ends(root).Body()
		for _, piece := range c.says {
			if !strings.Contains(body, piece) {
				t.Errorf("%s: the room reads %q, want %q in it", c.name, body, piece)
			}
		}
		if n := len(model.Times()); n != c.requests {
			t.Errorf("%s: the provider was asked %d times in all, want %d", c.name, n, c.requests)
		}
		if strings.Contains(body, modeltest.Key) {
			t.Errorf("%s: the room reads the key", c.name)
		}
	}
	r.must(p.Stop())
	log, err := os.ReadFile(filepath.Join(folder, "mindroom.log"))
	r.must(err)
	if !strings.Contains(string(log), "a model is asked again") {
		t.Error("the log does not tell that the model was asked again")
	}
	holdsNowhere(t, folder, modeltest.Key)
}

// holdsNowhere makes sure that no file of a folder has the text.
func holdsNowhere(t *testing.T, folder, text string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(raw), text) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
