//go:build goolm

package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mindroom/internal/person"
	"mindroom/internal/store"
	"mindroom/test/faultproxy"
	"mindroom/test/homeserver"
	"mindroom/test/primary"
)

// bound is how long one wait may take on a machine that is busy with others.
const bound = 2 * time.Minute

// world is a person, a room, the runtime, and a wire between that and the
// homeserver which fails when it is told to.
type world struct {
	t      *testing.T
	folder string
	env    []string
	server *homeserver.Server
	wire   *faultproxy.Proxy
	site   *site
	person *person.Client
	room   string
	now    *primary.Primary
	asked  []question
}

// question is a message of the person, and what its answer has to have in it.
type question struct{ room, event, part string }

func newWorld(t *testing.T, sealed bool) *world {
	t.Helper()
	w := &world{t: t, folder: t.TempDir(), server: homeserver.Shared(t), site: newSite(t)}
	w.person = w.server.Person(t, "anna")
	if sealed {
		w.must(w.person.Secure(w.within()))
	}
	var err error
	w.wire, err = faultproxy.Start(w.server.URL)
	w.must(err)
	t.Cleanup(w.wire.Close)
	w.env = []string{"MATRIX_HOMESERVER=" + w.wire.URL, "MINDROOM_NAMESPACE=" + homeserver.Suffix()}
	put := strings.NewReplacer("@PERSON@", w.person.UserID, "@SEALED@", strconv.FormatBool(sealed))
	for _, name := range []string{"config.yaml", "rules.yaml"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		w.must(err)
		w.must(os.WriteFile(filepath.Join(w.folder, name), []byte(put.Replace(string(raw))), 0o600))
	}
	t.Cleanup(func() {
		if w.now != nil {
			w.now.Kill()
		}
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("%v\n%s", err, primary.LogTail(w.folder, 80))
	}
}

func (w *world) within() context.Context {
	ctx, cancel := context.WithTimeoutCause(w.t.Context(), bound, fmt.Errorf("not within %s", bound))
	w.t.Cleanup(cancel)
	return ctx
}

// until waits until ok says yes.
func (w *world) until(what string, ok func() (bool, error)) error {
	return primary.Until(w.within(), what, ok)
}

// launch starts the runtime and waits for nothing.
func (w *world) launch(env ...string) {
	w.t.Helper()
	var err error
	w.now, err = primary.Start(bin, w.folder, append(w.env, env...)...)
	w.must(err)
}

// ready waits until the runtime says that agents answer.
func (w *world) ready() {
	w.t.Helper()
	up, err := w.now.AwaitReady(w.within())
	if err == nil && !up {
		err = errors.New("the runtime ended before it was ready: " + w.now.Cmd.ProcessState.String())
	}
	w.must(err)
}

func (w *world) stop() {
	w.t.Helper()
	w.must(w.now.Stop())
	w.now = nil
}

// enter brings the person into the room.
func (w *world) enter() {
	w.t.Helper()
	room, err := w.person.WaitInvite(w.within())
	w.must(err)
	_, err = w.person.Join(w.within(), room)
	w.must(err)
	w.room = room
	// What is said before an agent is in the room is not said to it.
	w.must(w.until("the agent is in the room", func() (bool, error) {
		members, err := w.person.Members(w.within(), room)
		return slices.ContainsFunc(members, func(m string) bool { return strings.HasPrefix(m, "@mindroom_watcher") }), err
	}))
}

// begin starts the runtime, brings the person in and has one message answered.
func (w *world) begin() {
	w.t.Helper()
	w.launch()
	w.ready()
	w.enter()
	w.ask("good morning", "good morning")
	w.answered()
}

// ask sends a message, the root of a thread, whose answer will have part in it.
func (w *world) ask(text, part string) { w.t.Helper(); w.askIn(w.room, text, part) }

func (w *world) askIn(room, text, part string) {
	w.t.Helper()
	event, err := w.person.Send(w.within(), room, text)
	w.must(err)
	w.asked = append(w.asked, question{room, event, part})
}

// answers are what others wrote in a message's thread, as the person reads it.
func (w *world) answers(q question) ([]person.Event, error) {
	all, err := w.person.Timeline(w.within(), q.room, 500)
	if err != nil {
		return nil, err
	}
	var found []person.Event
	for _, e := range person.Fold(all) {
		if e.Sender != w.person.UserID && e.ThreadRoot() == q.event {
			found = append(found, e)
		}
	}
	return found, nil
}

// answered waits until the last message has its one answer.
func (w *world) answered() {
	w.t.Helper()
	q := w.asked[len(w.asked)-1]
	var all []person.Event
	err := w.until("an answer with "+q.part, func() (done bool, err error) {
		// Its keys come to a person who looks.
		w.must(w.person.Catch(w.within()))
		all, err = w.answers(q)
		return err == nil && len(all) == 1 && primary.Finished(all[0]), err
	})
	if err == nil && !strings.Contains(all[0].Body(), q.part) {
		err = fmt.Errorf("the answer is %q, which has no %q", all[0].Body(), q.part)
	}
	if err != nil {
		w.must(fmt.Errorf("%w\n%s", err, primary.Said(w.t.Context(), w.folder, all)))
	}
}

// read looks into the database beside whoever writes it.
func (w *world) read(fn func(*store.Reader) error) error {
	return primary.Read(w.t.Context(), w.folder, fn)
}

// open counts what waits for anything.
const open = `SELECT (SELECT count(*) FROM turns WHERE state IN ('clean', 'dirty', 'parked', 'ready', 'claimed'))
	+ (SELECT count(*) FROM chat_deliveries WHERE state IN ('queued', 'sending'))
	+ (SELECT count(*) FROM chat_events WHERE state IN ('new', 'held') AND account LIKE '%watcher%')`

// judge holds the package's sentences at the end of a fault.
func (w *world) judge() {
	w.t.Helper()
	w.answered()
	w.ask("are you there?", "are you there?")
	w.answered()
	w.must(w.until("nothing is open", func() (bool, error) {
		n := 0
		err := w.read(func(q *store.Reader) error { return q.QueryRow(open).Scan(&n) })
		return n == 0, err
	}))
	for _, q := range w.asked {
		if all, err := w.answers(q); err != nil || len(all) != 1 || !primary.Finished(all[0]) || !strings.Contains(all[0].Body(), q.part) {
			w.t.Errorf("%d answers to the message that wants %q, %v\n%s", len(all), q.part, err, primary.Said(w.t.Context(), w.folder, all))
		}
	}
	w.stop()
}
