package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/person"
	"mindroom/test/homeserver"
	"mindroom/test/tether"
)

// patience bounds one wait on a machine that is busy with others.
const patience = 2 * time.Minute

// house is one installation: a folder, a runtime that may be started again, and
// people.
type house struct {
	t      *testing.T
	folder string
	env    []string
	args   []string // of run, besides those that every house has
	now    *exec.Cmd
	ended  <-chan struct{}
}

// newHouse lays configuration and rules; in both, @NAME@ is replaced by the
// Matrix id of the person of that name.
func newHouse(t *testing.T, config, rules string, people map[string]*person.Client) *house {
	t.Helper()
	h := &house{t: t, folder: t.TempDir(), env: []string{"MATRIX_HOMESERVER=" + homeserver.Shared(t).URL, "MINDROOM_NAMESPACE=" + homeserver.Suffix()}}
	var put []string
	for name, c := range people {
		put = append(put, "@"+strings.ToUpper(name)+"@", c.UserID)
	}
	for name, text := range map[string]string{"config.yaml": config, "rules.yaml": rules} {
		h.must(os.WriteFile(filepath.Join(h.folder, name), []byte(strings.NewReplacer(put...).Replace(text)), 0o600))
	}
	t.Cleanup(func() {
		if h.now != nil {
			h.stop()
		}
	})
	return h
}

// persons registers people by name.
func persons(t *testing.T, names ...string) map[string]*person.Client {
	t.Helper()
	all := map[string]*person.Client{}
	for _, name := range names {
		all[name] = homeserver.Shared(t).Person(t, name)
	}
	return all
}

func (h *house) must(err error) {
	h.t.Helper()
	if err == nil {
		return
	}
	log, _ := os.ReadFile(filepath.Join(h.folder, "mindroom.log"))
	lines := strings.Split(string(log), "\n")
	h.t.Fatalf("%v\n%s", err, strings.Join(lines[max(0, len(lines)-80):], "\n"))
}

func (h *house) within() context.Context {
	ctx, cancel := context.WithTimeoutCause(h.t.Context(), patience, fmt.Errorf("not within %s", patience))
	h.t.Cleanup(cancel)
	return ctx
}

// start starts the built binary and returns when it answers.
func (h *house) start() {
	h.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "mindroom"), "run", "--config", filepath.Join(h.folder, "config.yaml"),
		"--api-host", "127.0.0.1", "--api-port", "-1", "--log-format", "json", "--log-level", "info")
	cmd.Args = append(cmd.Args, h.args...)
	cmd.Env = append(append(os.Environ(), "MINDROOM_STORAGE_PATH="+filepath.Join(h.folder, "storage")), h.env...)
	log, err := os.OpenFile(filepath.Join(h.folder, "mindroom.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	h.must(err)
	said, err := cmd.StderrPipe()
	h.must(err)
	ready := make(chan struct{})
	ended, err := tether.Start(cmd, syscall.SIGKILL, func() {
		defer log.Close()
		once := sync.OnceFunc(func() { close(ready) })
		for lines := bufio.NewReader(said); ; {
			line, err := lines.ReadBytes('\n')
			_, _ = log.Write(line)
			if bytes.Contains(line, []byte(`"msg":"ready"`)) {
				once()
			}
			if err != nil {
				break
			}
		}
	})
	h.must(err)
	h.now, h.ended = cmd, ended
	select {
	case <-ready:
	case <-ended:
		h.must(errors.New("the runtime ended before it was ready"))
	case <-h.within().Done():
		h.must(errors.New("the runtime is not ready"))
	}
}

// stop ends the runtime in order.
func (h *house) stop() {
	h.t.Helper()
	_ = h.now.Process.Signal(syscall.SIGTERM)
	select {
	case <-h.ended:
		if !h.now.ProcessState.Success() {
			h.t.Errorf("the runtime stopped with %s", h.now.ProcessState)
		}
	case <-time.After(40 * time.Second):
		h.t.Error("the runtime did not stop and is killed")
		h.kill()
	}
	h.now = nil
}

// kill ends it as a power cut does.
func (h *house) kill() {
	_ = h.now.Process.Kill()
	<-h.ended
	h.now = nil
}

// enter brings people into the one room they are invited to.
func (h *house) enter(people ...*person.Client) (room string) {
	h.t.Helper()
	for _, c := range people {
		invited, err := c.WaitInvite(h.within())
		h.must(err)
		room, err = c.Join(h.within(), invited)
		h.must(err)
	}
	return room
}

// until looks at the room, as the homeserver keeps it, each time anything
// happened, until ok says yes. It returns the messages with their edits.
func (h *house) until(c *person.Client, room, what string, ok func(raw, messages []person.Event) bool) []person.Event {
	h.t.Helper()
	var messages []person.Event
	for _, err := range c.Follow(h.within()) {
		if err != nil {
			h.must(fmt.Errorf("never: %s: %w\n%s", what, err, shown(messages)))
		}
		raw, err := c.Timeline(h.within(), room, 500)
		h.must(err)
		if messages = person.Fold(raw); ok(raw, messages) {
			return messages
		}
	}
	h.must(fmt.Errorf("never: %s\n%s", what, shown(messages)))
	return nil
}

func shown(messages []person.Event) string {
	var b strings.Builder
	for _, e := range messages {
		fmt.Fprintf(&b, "%s in %q: %q\n", e.Sender, e.ThreadRoot(), e.Body())
	}
	return b.String()
}

// answersTo are messages that reply to an event: the genuine reply of a thread,
// or a plain one.
func answersTo(messages []person.Event, event string) []person.Event {
	var found []person.Event
	for _, e := range messages {
		rel, _ := e.Content["m.relates_to"].(map[string]any)
		reply, _ := rel["m.in_reply_to"].(map[string]any)
		// A card stands in the conversation of what it is about, and answers nothing.
		if reply["event_id"] == event && e.Content["io.mindroom.tool_approval_card"] == nil {
			found = append(found, e)
		}
	}
	return found
}

// reply waits for the one finished reply to an event.
func (h *house) reply(c *person.Client, room, event string) person.Event {
	h.t.Helper()
	messages := h.until(c, room, "a reply to "+event, func(_, messages []person.Event) bool {
		all := answersTo(messages, event)
		return len(all) > 0 && finished(all[0])
	})
	all := answersTo(messages, event)
	if len(all) != 1 {
		h.t.Errorf("%d replies:\n%s", len(all), shown(all))
	}
	return all[0]
}

// says sends a message and waits for its reply.
func (h *house) says(c *person.Client, room, text string) (event string, reply person.Event) {
	h.t.Helper()
	event, err := c.Send(h.within(), room, text)
	h.must(err)
	return event, h.reply(c, room, event)
}

// finished: nothing more will be written to it.
func finished(e person.Event) bool {
	status, streamed := e.Content["io.mindroom.stream_status"].(string)
	return !streamed || status == "completed" || status == "cancelled" || status == "interrupted" || status == "error"
}
