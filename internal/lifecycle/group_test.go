package lifecycle

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestFirstErrorEndsGroup(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		fn   func(context.Context) error
		want func(error) bool
	}{
		"error": {func(context.Context) error { return broken }, func(err error) bool {
			return errors.Is(err, broken) && strings.HasPrefix(err.Error(), "part: ")
		}},
		"panic with a value": {func(context.Context) error { panic("boom") }, func(err error) bool {
			var p *PanicError
			return errors.As(err, &p) && p.Value == "boom" && strings.Contains(string(p.Stack), "group_test.go")
		}},
		"panic with an error":  {func(context.Context) error { panic(broken) }, func(err error) bool { return errors.Is(err, broken) }},
		"goexit":               {func(context.Context) error { runtime.Goexit(); return nil }, func(err error) bool { return errors.Is(err, errGoexit) }},
		"cancelled on its own": {func(context.Context) error { return context.Canceled }, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := New(t.Context())
			g.Go("bystander", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
			g.Go("part", c.fn)
			if err := g.Wait(); !c.want(err) {
				t.Errorf("Wait = %v", err)
			}
			if g.Go("late", func(context.Context) error { t.Error("ran after the end"); return nil }) {
				t.Error("Go started something in a group that is over")
			}
		})
	}
}

// Invariant 1: Wait waits for those told to leave, and their Canceled is no error.
func TestParentEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(t.Context())
		g := New(parent)
		left := false
		g.Go("slow", func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(time.Minute)
			left = true
			return ctx.Err()
		})
		synctest.Wait()
		if got := g.Live(); !slices.Equal(got, []string{"slow"}) {
			t.Fatalf("Live = %v", got)
		}
		cancel()
		if err := g.Wait(); err != nil || !left {
			t.Fatalf("Wait = %v, left = %v", err, left)
		}
	})
}

func TestStopOrderAndContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(t.Context())
		var order []string
		for _, name := range []string{"store", "listeners", "dispatch"} {
			g.OnStop(Step{Name: name, Budget: time.Second, Stop: func(context.Context) error {
				if g.Context().Err() != nil { // invariant 5
					t.Errorf("the group's context ended before step %s", name)
				}
				order = append(order, name)
				return nil
			}})
		}
		g.Go("server", func(ctx context.Context) error { <-ctx.Done(); return nil })
		if err := g.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []string{"dispatch", "listeners", "store"}; !slices.Equal(order, want) { // invariant 4
			t.Errorf("order = %v, want %v", order, want)
		}
		if err := g.Stop(t.Context()); !errors.Is(err, ErrStopping) {
			t.Errorf("second Stop = %v", err)
		}
	})
}

func TestStopOverruns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New(t.Context())
		release := make(chan struct{})
		closed := errors.New("closed badly")
		g.OnStop(Step{Name: "store", Budget: time.Second, Stop: func(context.Context) error { return closed }})
		g.OnStop(Step{Name: "polite", Budget: 2 * time.Second, Stop: func(ctx context.Context) error { <-ctx.Done(); return errors.New("left two runs") }})
		g.OnStop(Step{Name: "stuck", Budget: 3 * time.Second, Stop: func(context.Context) error { <-release; return nil }})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		err := g.Stop(ctx)
		if took := time.Since(start); took != 10*time.Second {
			t.Errorf("Stop took %v, want all of its time because a step was left behind", took)
		}
		for _, want := range []string{"stopping stuck: did not end in time", "stopping polite: left two runs", "still running when the time to stop was over: stop stuck"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
		if !errors.Is(err, closed) {
			t.Errorf("the last step did not run: %v", err)
		}
		close(release)
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestStopPanicAndEndedGroup(t *testing.T) {
	t.Parallel()
	g := New(t.Context())
	ran := false
	g.OnStop(Step{Name: "last", Stop: func(context.Context) error { ran = true; return nil }})
	g.OnStop(Step{Name: "first", Stop: func(context.Context) error { panic("boom") }})
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	var p *PanicError
	if err := g.Stop(t.Context()); !errors.As(err, &p) || !ran {
		t.Errorf("Stop = %v, last step ran: %v", err, ran)
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	s := time.Second
	for name, c := range map[string]struct {
		left    time.Duration // zero: no deadline
		budgets []time.Duration
		want    time.Duration
	}{
		"no deadline":       {0, []time.Duration{s, 2 * s}, 2 * s},
		"enough left":       {9 * s, []time.Duration{s, 2 * s}, 2 * s},
		"scaled":            {s, []time.Duration{2 * s, 2 * s}, s / 2},
		"unbounded":         {s, []time.Duration{2 * s, 0}, 0},
		"nothing left, now": {-s, []time.Duration{s}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.left != 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.left)
					defer cancel()
				}
				var steps []Step
				for _, b := range c.budgets {
					steps = append(steps, Step{Budget: b})
				}
				if got := share(ctx, steps); got != c.want {
					t.Errorf("share = %v, want %v", got, c.want)
				}
			})
		})
	}
}
