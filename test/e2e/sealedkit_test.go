//go:build goolm

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mindroom/internal/message"
	"mindroom/internal/person"
	"mindroom/internal/store"
	"mindroom/test/primary"
	"mindroom/test/story"
)

// sealed is a story in an encrypted room, and what it takes to judge it.
type sealed struct {
	*story.Story
	t       *testing.T
	folder  string
	witness *person.Client
}

func beginSealed(t *testing.T, fromTheStart bool) *sealed {
	t.Helper()
	s := &sealed{t: t, folder: t.TempDir()}
	var err error
	s.Story, err = story.Begin(t.Context(), story.Options{
		Folder: s.folder, Bin: bin, Patience: 2 * time.Minute, Poll: 2, Encrypted: fromTheStart, Lookup: offline,
		Step: func(step story.Step) { t.Logf("%7.2fs %s: %s", step.At.Seconds(), step.Name, step.Detail) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the runtime did not end in order: %v", err)
		}
		noneLeft(t, s.folder)
	})
	s.witness = s.Server().Person(t, "witness")
	s.must(s.Person().Invite(s.within(), s.Room(), s.witness.UserID))
	_, err = s.witness.Join(s.within(), s.Room())
	s.must(err)
	return s
}

func (s *sealed) must(err error) {
	s.t.Helper()
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(s.folder, "mindroom.log"))
		s.t.Fatalf("%v\n%s", err, log)
	}
}

func (s *sealed) within() context.Context {
	ctx, cancel := context.WithTimeoutCause(s.t.Context(), 2*time.Minute, fmt.Errorf("not within two minutes"))
	s.t.Cleanup(cancel)
	return ctx
}

// answerTo waits, as c, for the finished answer to a message. What was ciphertext
// to c when it came and was opened later counts as of then.
func (s *sealed) answerTo(c *person.Client, root string) person.Event {
	s.t.Helper()
	var got person.Event
	ctx := s.within()
	for _, err := range c.Follow(ctx) {
		s.must(err)
		if all := s.answers(c, root); len(all) > 0 && message.Status(status(all[0])).Terminal() {
			got = all[0]
			break
		}
	}
	return got
}

func status(e person.Event) string {
	s, _ := e.Content[message.KeyStreamStatus].(string)
	return s
}

// answers are the agent's messages in the thread of root, as c reads them; what
// the program tells there by itself, of a script's end for one, is none.
func (s *sealed) answers(c *person.Client, root string) []person.Event {
	s.t.Helper()
	all, err := c.Timeline(s.within(), s.Room(), 500)
	s.must(err)
	var found []person.Event
	for _, e := range person.Fold(all) {
		if e.Sender == s.AgentID() && e.ThreadRoot() == root && e.Content[message.KeyProgram] == nil {
			found = append(found, e)
		}
	}
	return found
}

// device is the agent's device as the runtime keeps it.
func (s *sealed) device() (id string) {
	s.t.Helper()
	s.must(primary.Read(s.t.Context(), s.folder, func(q *store.Reader) error {
		return q.QueryRow(`SELECT device_id FROM matrix_account WHERE account_key = 'watcher'`).Scan(&id)
	}))
	return id
}

// nothingInClear reads the room as somebody without keys does, from where it was
// encrypted: whatever is no state is ciphertext, but for reactions and redactions,
// and tells nothing.
func (s *sealed) nothingInClear(least int, words ...string) {
	s.t.Helper()
	envelope := []string{"algorithm", "ciphertext", "device_id", "m.relates_to", "sender_key", "session_id"}
	all, err := s.witness.Timeline(s.within(), s.Room(), 1000)
	s.must(err)
	from := slices.IndexFunc(all, func(e person.Event) bool { return e.Type == "m.room.encryption" })
	if from < 0 {
		s.t.Fatal("the room is not encrypted")
	}
	counts := map[string]int{}
	for _, e := range all[from:] {
		if e.StateKey != nil {
			continue
		}
		counts[e.Type]++
		raw, err := json.Marshal(e.Content)
		s.must(err)
		for _, word := range words {
			if strings.Contains(string(raw), word) {
				s.t.Errorf("%s of %s tells %q: %s", e.Type, e.Sender, word, raw)
			}
		}
		switch e.Type {
		case "m.reaction", "m.room.redaction":
		case "m.room.encrypted":
			for _, key := range slices.Sorted(maps.Keys(e.Content)) {
				if !slices.Contains(envelope, key) {
					s.t.Errorf("an envelope of %s has %s in clear: %s", e.Sender, key, raw)
				}
			}
		default:
			s.t.Errorf("%s of %s in clear: %s", e.Type, e.Sender, raw)
		}
	}
	s.t.Logf("the homeserver has %v", counts)
	if counts["m.room.encrypted"] < least {
		s.t.Errorf("only %v was said", counts)
	}
}
