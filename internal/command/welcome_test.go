package command

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Sentence 8.
func TestWelcome(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, quiet bool) (*world, *Welcome, *int) {
		w := newWorld(t, "")
		looked := 0
		return w, &Welcome{DB: w.db, Outbox: w.outbox, Residents: w.desk.Residents, Config: w.desk.Config, Stamp: w.desk.Wall.Stamp,
			Quiet: func(context.Context, string) (bool, error) { looked++; return quiet, nil }}, &looked
	}
	t.Run("once", func(t *testing.T) {
		t.Parallel()
		w, welcome, looked := begin(t, true)
		for range 3 {
			must(t, welcome.Greet(t.Context(), router, "ops", ops))
		}
		d, ok := w.delivery("welcome:" + ops)
		said := content(t, d)
		body, _ := said["body"].(string)
		if !ok || d.ThreadRoot != "" || said["com.mindroom.skip_mentions"] != true || !strings.Contains(body, "**Watcher** (`@watcher`)") || strings.Contains(body, "Helper") {
			t.Errorf("it reads %q", body)
		}
		if *looked != 1 {
			t.Errorf("the room was looked at %d times", *looked)
		}
	})
	t.Run("never once something was said", func(t *testing.T) {
		t.Parallel()
		w, welcome, _ := begin(t, false)
		must(t, welcome.Greet(t.Context(), router, "ops", ops))
		welcome.Quiet = func(context.Context, string) (bool, error) { return true, nil }
		must(t, welcome.Greet(t.Context(), router, "ops", ops))
		if _, ok := w.delivery("welcome:" + ops); ok {
			t.Error("it is welcomed")
		}
	})
	t.Run("later when nobody can tell", func(t *testing.T) {
		t.Parallel()
		w, welcome, _ := begin(t, true)
		quiet := welcome.Quiet
		welcome.Quiet = func(context.Context, string) (bool, error) { return false, errors.New("the homeserver is away") }
		if err := welcome.Greet(t.Context(), router, "ops", ops); err == nil {
			t.Error("no error")
		}
		welcome.Quiet = quiet
		must(t, welcome.Greet(t.Context(), router, "ops", ops))
		if _, ok := w.delivery("welcome:" + ops); !ok {
			t.Error("it is not welcomed")
		}
	})
	t.Run("not by nobody", func(t *testing.T) {
		t.Parallel()
		w, welcome, _ := begin(t, true)
		must(t, welcome.Greet(t.Context(), router, "attic", "!attic:x"))
		if _, ok := w.delivery("welcome:!attic:x"); ok {
			t.Error("it is welcomed")
		}
	})
}
