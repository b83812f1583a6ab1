package lifecycle

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestRunUntil(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		drive    func(g *Group, signals chan<- os.Signal)
		wantErr  error
		wantExit int
	}{
		"one signal": {func(_ *Group, s chan<- os.Signal) { s <- os.Interrupt }, nil, 0},
		"second signal exits": {func(_ *Group, s chan<- os.Signal) {
			s <- os.Interrupt
			time.Sleep(time.Second)
			s <- os.Interrupt
		}, nil, 130},
		"the group ends by itself": {func(g *Group, _ chan<- os.Signal) {
			g.Go("part", func(context.Context) error { return broken })
		}, broken, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := New(t.Context())
				g.OnStop(Step{Name: "drain", Budget: time.Minute, Stop: func(context.Context) error { time.Sleep(5 * time.Second); return nil }})
				signals := make(chan os.Signal)
				code, at, start := 0, time.Duration(0), time.Now()
				driver := New(t.Context())
				driver.Go("driver", func(context.Context) error { c.drive(g, signals); return nil })
				err := g.RunUntil(signals, time.Minute, func(c int) { code, at = c, time.Since(start) })
				if !errors.Is(err, c.wantErr) || code != c.wantExit {
					t.Errorf("RunUntil = %v, exit %d; want %v, %d", err, code, c.wantErr, c.wantExit)
				}
				if c.wantExit != 0 && at != time.Second { // invariant 6
					t.Errorf("exit after %v, want at once", at)
				}
				if err := driver.Wait(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		start, enough := time.Now(), errors.New("enough")
		passes := 0
		err := Every(ctx, time.Minute, func(context.Context) error {
			time.Sleep(30 * time.Second)
			if passes++; passes == 3 {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || time.Since(start) != 3*90*time.Second {
			t.Errorf("Every = %v after %v", err, time.Since(start))
		}
		cancel()
		if err := Every(ctx, time.Minute, func(context.Context) error { t.Error("ran"); return nil }); err != nil {
			t.Error(err)
		}
	})
}
