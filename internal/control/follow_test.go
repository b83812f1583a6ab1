package control

import (
	"context"
	"testing"
	"time"

	"mindroom/internal/script"
)

type reply struct {
	out Output
	err error
}

// ask asks for output in the background.
func ask(t *testing.T, c *Client, id string, offset int64) <-chan reply {
	t.Helper()
	got := make(chan reply, 1)
	go func() {
		out, err := c.Output(t.Context(), id, offset)
		got <- reply{out, err}
	}()
	return got
}

func wait[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not happen", what)
	}
	return v
}

// A request for more output is held, for a bounded time, until there is some.
func TestFollowIsHeldAndReleased(t *testing.T) {
	t.Parallel()
	r := run("first")
	asked, wrote := make(chan time.Duration), make(chan string)
	runs := &fakeRuns{runs: []*script.Run{r}, output: func(ctx context.Context, offset int64) (script.Output, error) {
		deadline, _ := ctx.Deadline()
		asked <- time.Until(deadline)
		text := <-wrote
		return script.Output{Text: text, Offset: offset, Total: offset + int64(len(text)), Live: true}, nil
	}}
	dir := deep(t)
	serve(t, dir, runs)
	got := ask(t, client(t, dir), string(r.ID), 40)
	if bound := wait(t, "the request", asked); bound <= 0 || bound > follow {
		t.Errorf("it is held for %s", bound)
	}
	select {
	case early := <-got:
		t.Fatalf("answered before there was output: %+v", early)
	default:
	}
	wrote <- "tick\n"
	if a := wait(t, "the answer", got); a.err != nil || a.out != (Output{Text: "tick\n", Offset: 40, Total: 45, Live: true}) {
		t.Errorf("answered %+v", a)
	}
}

// Nobody who follows a log keeps the runtime from ending.
func TestShutdownReleasesFollowers(t *testing.T) {
	t.Parallel()
	r := run("first")
	asked, left := make(chan struct{}), make(chan struct{})
	runs := &fakeRuns{runs: []*script.Run{r}, output: func(ctx context.Context, _ int64) (script.Output, error) {
		close(asked)
		<-ctx.Done()
		close(left)
		return script.Output{}, ctx.Err()
	}}
	dir := deep(t)
	stop := serve(t, dir, runs)
	got := ask(t, client(t, dir), string(r.ID), 0)
	wait(t, "the request", asked)
	stop()
	wait(t, "the end of the request", left)
	if a := wait(t, "an answer", got); a.err == nil {
		t.Errorf("a cut request was answered with %+v", a.out)
	}
}

// Without an offset, or with one that is none, the kept tail is asked for.
func TestOutputOffset(t *testing.T) {
	t.Parallel()
	r := run("first")
	runs := &fakeRuns{runs: []*script.Run{r}}
	dir := deep(t)
	serve(t, dir, runs)
	for _, offset := range []int64{0, -1, 1 << 40} {
		if _, err := client(t, dir).Output(t.Context(), string(r.ID), offset); err != nil || runs.offset != offset {
			t.Errorf("offset %d was asked for as %d, %v", offset, runs.offset, err)
		}
	}
	var out Output
	if err := client(t, dir).ask(t.Context(), "GET", "/runs/"+string(r.ID)+"/output", &out); err != nil || runs.offset != -1 {
		t.Errorf("no offset was asked for as %d, %v", runs.offset, err)
	}
}
