package matrix

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/lifecycle"
	"mindroom/internal/message"
	"mindroom/internal/person"
	"mindroom/internal/store"
	"mindroom/test/homeserver"
)

// childVariable makes this test binary a small program that answers messages,
// so that it can be killed for real.
const childVariable = "MINDROOM_MATRIX_TEST_CHILD"

// crashPoints is how many places a message passes on its way to an answer: two
// at each of the four commits (journal; taken and answered; sending; sent).
const crashPoints = 8

// The crash matrix: kill -9 at every point of the way of one message. After
// the restart there is one answer, and the next message gets one too.
func TestKilledAtEveryCommit(t *testing.T) {
	t.Parallel()
	hs := homeserver.Shared(t)
	for point := 1; point <= crashPoints; point++ {
		t.Run(fmt.Sprintf("commit %d %s", (point+1)/2, []string{"after", "before"}[point%2]), func(t *testing.T) {
			t.Parallel()
			ctx := within(t, time.Minute)
			ann := hs.Person(t, "ann")
			c := child{t: t, env: []string{
				childVariable + "=" + hs.URL, "NAMESPACE=" + homeserver.Suffix(), "INVITE=" + ann.UserID,
				"DATABASE=" + filepath.Join(t.TempDir(), "main.db"),
			}}
			doomed := c.start(ctx, point)
			room, err := ann.WaitInvite(ctx)
			must(t, err)
			_, err = ann.Join(ctx, room)
			must(t, err)
			// Its joining is a commit too: the counting begins after it.
			doomed.count()
			_, err = ann.Send(ctx, room, "hello")
			must(t, err)
			if got := doomed.end(); got != syscall.SIGKILL {
				t.Fatalf("the process ended by %v, not at the point", got)
			}

			c.start(ctx, 0)
			answered := func(body string) {
				t.Helper()
				_, err := ann.WaitFor(ctx, func(e person.Event) bool { return e.Body() == "re: "+body })
				must(t, err)
			}
			answered("hello")
			_, err = ann.Send(ctx, room, "bye")
			must(t, err)
			answered("bye")
			events, err := ann.Timeline(ctx, room, 100)
			must(t, err)
			var said []string
			for _, e := range person.Fold(events) {
				said = append(said, e.Body())
			}
			if want := []string{"hello", "re: hello", "bye", "re: bye"}; !slices.Equal(said, want) {
				t.Fatalf("in the room: %q, want %q", said, want)
			}
		})
	}
}

// child starts the program again and again on the same files.
type child struct {
	t   *testing.T
	env []string
}

type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *bufio.Reader
	ended  chan struct{}
}

// start runs the program until it is ready. It dies at its point-th commit
// point after it was told to count; 0 is never.
func (c child) start(ctx context.Context, point int) *running {
	c.t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(append(os.Environ(), c.env...), "POINT="+strconv.Itoa(point))
	in, out, err := os.Pipe()
	must(c.t, err)
	outR, outW, err := os.Pipe()
	must(c.t, err)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, outW, os.Stderr
	must(c.t, cmd.Start())
	in.Close()
	outW.Close()
	r := &running{t: c.t, cmd: cmd, stdin: out, stdout: bufio.NewReader(outR), ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		_ = cmd.Wait()
	}()
	c.t.Cleanup(func() {
		out.Close() // the child leaves at the end of its input
		<-r.ended
		outR.Close()
	})
	r.read("ready")
	return r
}

// count has the program wait until the visitor's joining is journalled, and
// count from there.
func (r *running) count() {
	r.t.Helper()
	_, err := r.stdin.WriteString("count\n")
	must(r.t, err)
	r.read("counting")
}

func (r *running) read(want string) {
	r.t.Helper()
	line, err := r.stdout.ReadString('\n')
	if err != nil || strings.TrimSpace(line) != want {
		r.t.Fatalf("the program said %q (%v), want %q", line, err, want)
	}
}

func (r *running) end() syscall.Signal {
	<-r.ended
	status, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0
	}
	return status.Signal()
}

// childMain answers "re: …" to whatever it hears until its input ends.
func childMain() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	db, err := store.Open(ctx, os.Getenv("DATABASE"), chat.Schema, Schema)
	if err != nil {
		return err
	}
	defer db.Close()
	outbox, err := chat.OpenOutbox(ctx, db, nil)
	if err != nil {
		return err
	}
	journal := chat.NewJournal(db, nil)
	n, err := New(Config{Homeserver: os.Getenv(childVariable), Namespace: os.Getenv("NAMESPACE"), DB: db, Journal: journal, Outbox: outbox,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer n.Close()
	a, err := n.Ensure(ctx, RouterKey, "")
	if err != nil {
		return err
	}
	rooms, _, err := n.EnsureRooms(ctx, []RoomPlan{{Key: "lobby", Invite: []string{os.Getenv("INVITE")}}})
	if err != nil {
		return err
	}
	group := lifecycle.New(ctx)
	group.Go("answer", func(ctx context.Context) error { return answerAll(ctx, db, journal, outbox, a.UserID) })
	if err := n.Start(group, RouterKey); err != nil {
		return err
	}
	for { // ready when the room is known and a first response is journalled
		if _, ok := n.Members(rooms["lobby"]); ok && !a.health.last().LastSuccess.IsZero() {
			break
		}
		pause(ctx, 10*time.Millisecond)
	}
	fmt.Println("ready")
	if input := bufio.NewScanner(os.Stdin); input.Scan() {
		armKill(db)
		fmt.Println("counting")
		input.Scan() // for ever, or until the parent closes it
	}
	cancel()
	return group.Wait()
}

// armKill waits until the visitor's joining is committed and has the process
// die at the point from there.
func armKill(db *store.DB) {
	for !joinJournalled(db) {
		pause(context.Background(), 10*time.Millisecond)
	}
	point, _ := strconv.Atoi(os.Getenv("POINT"))
	passed := 0
	db.SetFault(func(store.Point) error {
		if passed++; passed == point {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	})
}

func joinJournalled(db *store.DB) bool {
	var n int
	err := db.Read(context.Background(), func(r *store.Reader) error {
		return r.QueryRow("SELECT count(*) FROM chat_events WHERE type = 'm.room.member' AND sender = $1", os.Getenv("INVITE")).Scan(&n)
	})
	return err == nil && n > 0
}

func answerAll(ctx context.Context, db *store.DB, journal *chat.Journal, outbox *chat.Outbox, self string) error {
	wake, end := journal.Subscribe(self)
	defer end()
	for {
		events, err := journal.New(ctx, self, 100)
		if err != nil && ctx.Err() == nil {
			return err
		}
		for _, e := range events {
			if !e.Live || e.Type != "m.room.message" || e.Sender == self {
				continue
			}
			err := db.Write(ctx, func(tx *store.Tx) error {
				if ok, err := journal.Mark(tx, e.Seq, chat.EventTaken); !ok || err != nil {
					return err
				}
				_, err := outbox.Enqueue(tx, chat.Delivery{
					ID: "answer " + e.EventID, Conversation: chat.Conversation{Account: self, Room: e.Room},
					Kind: chat.KindMessage, Type: "m.room.message", Content: message.Text("re: " + chat.Body(e.Content)).Raw(),
				})
				return err
			})
			if err != nil && ctx.Err() == nil {
				return err
			}
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil
		}
	}
}

// A commit that fails loses nothing: the response is asked for again.
func TestFailedCommit(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := talk(t, nil)
	r.await(ctx, "the visitor", func() bool { m, _ := r.net.Members(room); return slices.Contains(m, ann.UserID) })
	r.db.SetFault(func(p store.Point) error {
		if p == store.BeforeCommit {
			return fmt.Errorf("the disk is full")
		}
		return nil
	})
	_, err := ann.Send(ctx, room, "hello")
	must(t, err)
	r.awaitHealth(ctx, func(h map[string]Health) bool { return h["news"].Failures > 0 && h[RouterKey].Failures > 0 })
	if live, _ := r.bodies("news"); len(live) != 0 {
		t.Fatalf("journalled in spite of the failure: %q", live)
	}
	r.db.SetFault(nil)
	r.await(ctx, "the message", func() bool { live, _ := r.bodies("news"); return slices.Equal(live, []string{"hello"}) })
}
