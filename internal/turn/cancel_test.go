package turn

import (
	"strings"
	"testing"
)

func TestCancel(t *testing.T) {
	t.Parallel()
	t.Run("while the model writes", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		reached := make(chan struct{})
		b.model.plays(hangs("Once upon", reached))
		id := b.ask("$1", "tell")
		<-reached
		if active := b.engine.Active(); len(active) != 1 || active[0].Turn != id || active[0].Step != StepAsking || active[0].Requester != ann {
			t.Errorf("active: %+v", active)
		}
		b.cancels(id, true)
		b.ends(id, Cancelled)
		if !strings.HasPrefix(b.said(id), "Once upon") || !strings.HasSuffix(b.said(id), noteCancelled) {
			t.Errorf("the room reads %q", b.said(id))
		}
		b.cancels(id, false)
	})
	t.Run("while a tool runs", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		b.model.plays(calls("hold", `{"key":"a"}`))
		id := b.ask("$1", "hold")
		b.arrives()
		b.cancels(id, true)
		b.ends(id, Cancelled)
		if !strings.HasSuffix(b.said(id), noteCancelled) || len(b.model.asked()) != 1 {
			t.Errorf("the room reads %q after %d questions", b.said(id), len(b.model.asked()))
		}
	})
	t.Run("while it waits for its turn", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		reached := make(chan struct{})
		b.model.plays(hangs("", reached))
		first := b.ask("$1", "one")
		<-reached
		second := b.ask("$2", "two")
		b.cancels(second, true)
		b.ends(second, Cancelled)
		if s := b.row(first).state; s != Clean {
			t.Errorf("the first is %s", s)
		}
		b.cancels(first, true)
		b.ends(first, Cancelled)
	})
	t.Run("no such turn", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		if _, err := b.engine.Cancel(t.Context(), "turn-x", ann); err == nil {
			t.Error("an unknown turn was cancelled")
		}
	})
}

func (b *bundle) cancels(id string, want bool) {
	b.t.Helper()
	got, err := b.engine.Cancel(b.t.Context(), id, ann)
	must(b.t, err)
	if got != want {
		b.t.Errorf("Cancel said %v", got)
	}
}
