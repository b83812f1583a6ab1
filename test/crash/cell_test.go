package crash

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mindroom/internal/control"
	"mindroom/internal/person"
	"mindroom/test/homeserver"
	"mindroom/test/primary"
)

// cell is a row being played: a folder, a room, a person and what runs.
type cell struct {
	row    Row
	t      *testing.T
	folder string
	env    []string
	site   *site
	person *person.Client
	room   string
	now    *primary.Primary
	kills  int
	copies int
	// asked are the events of the person's messages, oldest first.
	asked []string
}

// bound is how long one wait may take on a machine that is busy with others.
const bound = 90 * time.Second

func (c *cell) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatalf("%v\n%s", err, primary.LogTail(c.folder, 60))
	}
}

func (c *cell) within() context.Context {
	ctx, cancel := context.WithTimeoutCause(c.t.Context(), bound, fmt.Errorf("not within %s", bound))
	c.t.Cleanup(cancel)
	return ctx
}

func newCell(t *testing.T, row Row) *cell {
	t.Helper()
	server := homeserver.Shared(t)
	c := &cell{row: row, t: t, folder: t.TempDir(), person: server.Person(t, "anna")}
	held := []string{}
	if row.Play == Two || (row.Play == Call && row.At == "") {
		held = append(held, "a")
	}
	if (row.Play == Read || row.Play == Delegate) && row.At == "" {
		held = append(held, "page")
	}
	c.site = newSite(t, held...)
	c.env = []string{"MATRIX_HOMESERVER=" + server.URL, "MINDROOM_NAMESPACE=" + homeserver.Suffix()}
	rules := "[]"
	if row.Play.asks() {
		rules = "[{match: read_url, action: require_approval}]"
	}
	put := strings.NewReplacer("@PERSON@", c.person.UserID, "@SITE@", c.site.url, "@PLAY@", string(row.Play), "@RULES@", rules)
	if row.Play == Restart || row.Play == Prune {
		put = strings.NewReplacer("@PERSON@", c.person.UserID, "@SITE@", c.site.url, "@PLAY@", string(map[Play]Play{Prune: Exit}[row.Play]), "@RULES@", rules)
	}
	for _, name := range []string{"config.yaml", "rules.yaml", "script.py"} {
		raw, err := os.ReadFile(filepath.Join("testdata", name))
		c.must(err)
		c.must(os.WriteFile(filepath.Join(c.folder, name), []byte(put.Replace(string(raw))), 0o600))
	}
	t.Cleanup(func() {
		if c.now != nil {
			c.now.Kill()
		}
		for _, p := range within(c.folder) {
			if q, err := os.FindProcess(p.pid); err == nil {
				_ = q.Kill()
			}
		}
	})
	return c
}

// armed is the file that makes the steps count.
func (c *cell) armed() string { return filepath.Join(c.folder, "armed") }

func (c *cell) arm() { c.must(os.WriteFile(c.armed(), nil, 0o600)) }

// dying is the environment of a process that dies at the row's step.
func (c *cell) dying() []string {
	if c.row.At == "" {
		return nil
	}
	at := string(c.row.At) + ":" + strconv.Itoa(max(c.row.N, 1))
	if c.row.Dies == Both {
		at += "+parent"
	}
	return []string{"MINDROOM_TEST_CRASH_AT=" + at, "MINDROOM_TEST_CRASH_ARMED=" + c.armed()}
}

// start starts a primary that answers.
func (c *cell) start(env ...string) {
	c.t.Helper()
	c.launch(env...)
	ready, err := c.now.AwaitReady(c.within())
	if err == nil && !ready {
		err = errors.New("the primary ended before it was ready: " + c.now.Cmd.ProcessState.String())
	}
	c.must(err)
}

func (c *cell) launch(env ...string) {
	c.t.Helper()
	var err error
	c.now, err = primary.Start(bin, c.folder, append(c.env, env...)...)
	c.must(err)
}

// enter brings the person into the room.
func (c *cell) enter() {
	c.t.Helper()
	room, err := c.person.WaitInvite(c.within())
	c.must(err)
	_, err = c.person.Join(c.within(), room)
	c.must(err)
	c.room = room
}

// say sends a message; it becomes the root of a thread.
func (c *cell) say(text string) {
	c.t.Helper()
	id, err := c.person.Send(c.within(), c.room, text)
	c.must(err)
	c.asked = append(c.asked, id)
}

// killed counts a death that was seen.
func (c *cell) killed() {
	c.t.Helper()
	c.must(c.now.Dies(c.within()))
	c.kills++
}

// kill kills the primary from outside.
func (c *cell) kill() {
	c.now.Kill()
	c.kills++
}

// up waits until the script runs.
func (c *cell) up() {
	c.t.Helper()
	c.must(c.site.arrives(c.within(), "/mark/up"))
}

// supervisors are those of the row's scripts.
func (c *cell) supervisors() []process {
	var found []process
	for _, p := range within(c.folder) {
		if p.supervisor {
			found = append(found, p)
		}
	}
	return found
}

// control is an operator's client; the caller closes it.
func (c *cell) control() *control.Client {
	return control.NewClient(filepath.Join(c.folder, "storage", "control_state"))
}

// cancel has an operator cancel the one run. The runtime may die under it.
func (c *cell) cancel() {
	c.t.Helper()
	client := c.control()
	defer client.Close()
	runs, err := client.List(c.within(), true, 0)
	c.must(err)
	if len(runs) != 1 {
		c.t.Fatalf("%d runs, not one", len(runs))
	}
	_, err = client.Cancel(c.within(), runs[0].ID, true)
	if err != nil && c.row.Dies == Supervisor {
		c.must(err)
	}
}
