package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mindroom/internal/person"
	"mindroom/test/homeserver"
)

// guests are a person who chats and one who answers as agents do, in one room
// of a real homeserver.
type guests struct {
	server               *homeserver.Server
	user, password, room string
	keeper               *person.Client
}

func invite(t *testing.T) guests {
	t.Helper()
	ctx := t.Context()
	g := guests{server: homeserver.Shared(t), user: "ann-" + homeserver.Suffix(), password: "password-" + rand.Text()}
	ann, err := g.server.Register(ctx, g.user, g.password)
	if err != nil {
		t.Fatal(err)
	}
	defer ann.Close()
	g.keeper = g.server.Person(t, "keeper")
	if g.room, err = g.keeper.CreateRoom(ctx, "lobby", ann.UserID); err != nil {
		t.Fatal(err)
	}
	if _, err := g.keeper.Send(ctx, g.room, "welcome"); err != nil {
		t.Fatal(err)
	}
	return g
}

// answer waits for a line and answers it in its thread, in three edits.
func (g guests) answer(ctx context.Context, line string) error {
	asked, err := g.keeper.WaitFor(ctx, func(e person.Event) bool { return e.Body() == line })
	if err != nil {
		return err
	}
	root := asked.ThreadRoot()
	if root == "" {
		root = asked.ID
	}
	thread := map[string]any{"rel_type": "m.thread", "event_id": root}
	text := func(body, status string) map[string]any {
		return map[string]any{"msgtype": "m.text", "body": body, "io.mindroom.stream_status": status}
	}
	first := text("…", "pending")
	first["m.relates_to"] = thread
	id, err := g.keeper.SendEvent(ctx, g.room, "m.room.message", first)
	if err != nil {
		return err
	}
	for _, step := range []struct{ body, status string }{{"It", "streaming"}, {"It is", "streaming"}, {"It is\nso.", "completed"}} {
		edit := text("* "+step.body, step.status)
		edit["m.new_content"] = text(step.body, step.status)
		edit["m.relates_to"] = map[string]any{"rel_type": "m.replace", "event_id": id}
		if _, err := g.keeper.SendEvent(ctx, g.room, "m.room.message", edit); err != nil {
			return err
		}
	}
	return nil
}

func (g guests) command(ctx context.Context, arg ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "mindroom", append([]string{"chat", "--homeserver", g.server.URL, "--user", g.user, "--room", g.room}, arg...)...)
	cmd.Env = append(os.Environ(), "MINDROOM_CHAT_PASSWORD="+g.password, "TERM=xterm", "NO_COLOR=1")
	return cmd
}

func TestChatOverAPipe(t *testing.T) {
	t.Parallel()
	g := invite(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answered := make(chan error, 1)
	go func() { answered <- g.answer(ctx, "is it so?") }()
	cmd := g.command(ctx, "--wait", "40s")
	cmd.Stdin = strings.NewReader("is it so?\n")
	var out, notes bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &notes
	err := cmd.Run()
	if sent := <-answered; err != nil || sent != nil {
		t.Fatalf("%v, %v, stderr:\n%s", err, sent, notes.String())
	}
	var told []string
	for line := range strings.Lines(out.String()) {
		if _, rest, ok := strings.Cut(line, "Z "); ok {
			line = rest
		}
		told = append(told, strings.NewReplacer(g.user, "ann", strings.Split(g.keeper.UserID[1:], ":")[0], "keeper").Replace(line))
	}
	if got, want := strings.Join(told, ""), "keeper: welcome\nann [1]: is it so?\nkeeper [1]: It is\n  so.\n"; got != want {
		t.Errorf("printed:\n%s\nwant:\n%s", got, want)
	}
	if strings.Contains(out.String()+notes.String(), g.password) || strings.Contains(out.String(), "\x1b") {
		t.Error("the password or a control sequence was printed")
	}
}

func TestChatWithAWrongPassword(t *testing.T) {
	t.Parallel()
	g := invite(t)
	g.password = "not-the-password"
	out, err := g.command(t.Context()).CombinedOutput()
	if code := exitCode(err); code != exitFailed || !strings.Contains(string(out), "check --homeserver, --user and the password") || strings.Contains(string(out), g.password) {
		t.Errorf("ended with %d: %s", code, out)
	}
}

func exitCode(err error) int {
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	return 0
}

func TestChatOnATerminal(t *testing.T) {
	t.Parallel()
	g := invite(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	keyboard, terminal := openTerminal(t)
	before, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	seen := watch(t, keyboard, terminal)
	cmd := g.command(ctx)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() { answered <- g.answer(ctx, "is it so?") }()
	seen.await(ctx, t, "welcome")
	fmt.Fprint(keyboard, "is it so?\r")
	if err := <-answered; err != nil {
		t.Error(err)
	}
	seen.await(ctx, t, "  so.")
	fmt.Fprint(keyboard, "/quit\r")
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v, on the terminal:\n%q", err, seen.text())
	}
	after, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal was not given back: %v", err)
	}
}
