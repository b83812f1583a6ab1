package turn

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/message"
)

var usual = config.Streaming{UpdateInterval: 5 * time.Second, MinUpdateInterval: 500 * time.Millisecond, IntervalRamp: 15 * time.Second, MaxIdle: 2 * time.Second}

// edits runs a progress under a fake clock and returns when which text was sent.
type edits struct {
	mu    sync.Mutex
	at    []time.Duration
	texts []string
}

// watch runs write in a bubble beside a progress that sends into the edits.
func watch(t *testing.T, write func(p *progress)) *edits {
	t.Helper()
	e := &edits{}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		render := func(v *view) string { return v.render(true) }
		p := newProgress(view{}, "", usual, began, render, func(v view) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.at, e.texts = append(e.at, time.Since(began)), append(e.texts, v.render(true))
		})
		over := make(chan struct{})
		done := make(chan error, 1)
		go func() { done <- p.run(over) }()
		write(p)
		time.Sleep(time.Minute) // of the fake clock: whatever is still due is sent
		close(over)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return e
}

func TestEditsFollowThePace(t *testing.T) {
	t.Parallel()
	t.Run("a steady stream", func(t *testing.T) {
		t.Parallel()
		// 100 characters a second for 40 seconds.
		e := watch(t, func(p *progress) {
			for range 400 {
				time.Sleep(100 * time.Millisecond)
				p.write("ten chars.")
			}
		})
		for i := 1; i < len(e.at); i++ {
			gap := e.at[i] - e.at[i-1]
			// The interval is that of the edit before, at the least.
			least := usual.MinUpdateInterval + time.Duration(min(1, float64(e.at[i-1])/float64(usual.IntervalRamp))*float64(usual.UpdateInterval-usual.MinUpdateInterval))
			if gap < min(least, usual.MaxIdle) {
				t.Errorf("edit %d came %v after the one before, at %v", i, gap, e.at[i])
			}
		}
		if n := len(e.at); n < 8 || n > 30 {
			t.Errorf("%d edits: %v", n, e.at)
		}
		if len(e.texts[len(e.texts)-1]) != 4000 {
			t.Errorf("the last edit shows %d characters", len(e.texts[len(e.texts)-1]))
		}
	})
	t.Run("an idle stream is flushed", func(t *testing.T) {
		t.Parallel()
		e := watch(t, func(p *progress) { p.write("few") })
		if len(e.at) != 1 || e.at[0] != usual.MaxIdle || e.texts[0] != "few" {
			t.Errorf("sent %q at %v", e.texts, e.at)
		}
	})
	t.Run("a tool shows at once, and not faster than the floor", func(t *testing.T) {
		t.Parallel()
		e := watch(t, func(p *progress) {
			time.Sleep(time.Second)
			for i := range 4 {
				p.change(true, func(v *view) { v.started(fmt.Sprint(i), "echo", nil, nil) })
				time.Sleep(100 * time.Millisecond)
			}
		})
		if len(e.at) < 2 || e.at[0] != time.Second || e.at[1] != time.Second+editFloor {
			t.Errorf("sent at %v", e.at)
		}
		if want := strings.Count(e.texts[len(e.texts)-1], "🔧"); want != 4 {
			t.Errorf("the last edit shows %d calls", want)
		}
	})
	t.Run("what reads the same is not sent", func(t *testing.T) {
		t.Parallel()
		e := watch(t, func(p *progress) {
			p.write("word")
			time.Sleep(10 * time.Second)
			p.change(true, func(v *view) { v.write("  ") })
			time.Sleep(10 * time.Second)
			p.change(true, (*view).pause)
		})
		if len(e.at) != 1 {
			t.Errorf("sent %q at %v", e.texts, e.at)
		}
	})
	t.Run("the number is bounded", func(t *testing.T) {
		t.Parallel()
		e := watch(t, func(p *progress) {
			for i := range 5400 { // nine hours of a tool every six seconds
				time.Sleep(6 * time.Second)
				p.change(true, func(v *view) { v.write(fmt.Sprint(i)) })
			}
		})
		if n := len(e.at); n != maxEdits-1 {
			t.Errorf("%d edits", n)
		}
		if last := e.at[len(e.at)-1]; last < 20*time.Minute {
			t.Errorf("the last of them was spent after %v", last)
		}
	})
}

func TestView(t *testing.T) {
	t.Parallel()
	var v view
	v.write("Let me ")
	v.write("see.")
	v.started("1", "echo", []byte(`{"key":"a"}`), nil)
	v.started("2", "ho`ld", []byte(`{}`), nil)
	before := v.clone()
	v.completed("1", "echo a", nil)
	v.write("\n\nNow more.")
	v.pause()
	v.write("And more.")
	if got, want := v.render(true), "Let me see.\n\n🔧 `echo` [1]\n🔧 `ho'ld` [2] ⏳\n\nNow more.\n\nAnd more."; got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
	if got, want := v.text(), "Let me see.\n\nNow more.\n\nAnd more."; got != want {
		t.Errorf("without calls %q, want %q", got, want)
	}
	if got := before.render(true); got != "Let me see.\n\n🔧 `echo` [1] ⏳\n🔧 `ho'ld` [2] ⏳" {
		t.Errorf("a clone changed: %q", got)
	}
	v.settle("left behind")
	if e := v.entries(); len(e) != 2 || e[1].Type != "tool_call_completed" || e[1].Result != "left behind" || e[0].Result != "echo a" {
		t.Errorf("the entries are %+v", e)
	}
}

// The trace that accompanies an answer leaves room for the answer.
func TestTheTraceIsBounded(t *testing.T) {
	t.Parallel()
	var v view
	for i := range 300 {
		ref := fmt.Sprint(i)
		v.started(ref, "echo", []byte(`{"key":"`+strings.Repeat("k", 200)+`"}`), nil)
		v.completed(ref, strings.Repeat("r", 400), nil)
	}
	e := New(Parts{})
	content := message.Text("short", e.trace(true, v)...)
	trace := content[message.KeyToolTrace].(message.Trace)
	if size := content.Size(); size > traceBytes+1024 || len(trace.Events) < 3 || !trace.Truncated {
		t.Errorf("%d bytes, %d entries", size, len(trace.Events))
	}
	if e.trace(false, v) != nil {
		t.Error("a hidden trace is there")
	}
}
