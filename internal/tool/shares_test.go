package tool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"
)

// sharesModel says who runs, by the rule alone: in order of arrival, shared
// calls beside each other, an exclusive one by itself.
type sharesModel struct {
	class   map[int]Class
	waiting []int
	running []int
}

func (m *sharesModel) advance() {
	for len(m.waiting) > 0 {
		next := m.waiting[0]
		alone := len(m.running) == 1 && m.class[m.running[0]] == Exclusive
		if alone || m.class[next] == Exclusive && len(m.running) > 0 {
			return
		}
		m.waiting, m.running = m.waiting[1:], append(m.running, next)
	}
}

// leave takes a call away, wherever it stands.
func (m *sharesModel) leave(id int) {
	is := func(other int) bool { return other == id }
	m.waiting, m.running = slices.DeleteFunc(m.waiting, is), slices.DeleteFunc(m.running, is)
	m.advance()
}

// step is one event of a schedule: an arrival, or the end of the pick-th call
// that is there: a waiting one gives up, a running one returns.
type step struct {
	arrive bool
	class  Class
	pick   int
}

// TestShares holds the lane to its model under generated schedules, after every
// single event: nobody runs who may not, and nobody waits who might run.
func TestShares(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		schedule := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{
				arrive: rapid.Bool().Draw(rt, "arrive"),
				class:  rapid.SampledFrom([]Class{Exclusive, Shared}).Draw(rt, "class"),
				pick:   rapid.IntRange(0, 9).Draw(rt, "pick"),
			}
		}), 1, 30).Draw(rt, "schedule")
		var wrong string
		synctest.Test(t, func(t *testing.T) { wrong = play(t.Context(), schedule) })
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

// play runs a schedule against a lane and says where it left the model.
func play(ctx context.Context, schedule []step) (wrong string) {
	var lane Shares
	var mu sync.Mutex
	var wg sync.WaitGroup
	running := []int{}
	finish := map[int]context.CancelFunc{} // ends the wait or the run of a call
	model := sharesModel{class: map[int]Class{}}
	defer func() {
		for _, end := range finish {
			end()
		}
		wg.Wait()
		if len(lane.queue) != 0 || lane.running != 0 || lane.alone {
			wrong += fmt.Sprintf(" everybody left, and the lane has %d waiting, %d running", len(lane.queue), lane.running)
		}
	}()
	for n, s := range schedule {
		if s.arrive {
			own, end := context.WithCancel(ctx)
			finish[n] = end
			wg.Go(func() {
				release, err := lane.Acquire(own, numbered(n), s.class)
				if err != nil {
					return
				}
				mu.Lock()
				running = append(running, n)
				mu.Unlock()
				<-own.Done()
				mu.Lock()
				running = slices.DeleteFunc(running, func(id int) bool { return id == n })
				mu.Unlock()
				release()
			})
			model.class[n] = s.class
			model.waiting = append(model.waiting, n)
			model.advance()
		} else if here := slices.Concat(model.running, model.waiting); len(here) > 0 {
			id := here[s.pick%len(here)]
			finish[id]()
			model.leave(id)
		}
		synctest.Wait()
		mu.Lock()
		got := slices.Sorted(slices.Values(running))
		mu.Unlock()
		if want := slices.Sorted(slices.Values(model.running)); !slices.Equal(got, want) {
			return fmt.Sprintf("after step %d of %+v: %v run, want %v", n, schedule, got, want)
		}
	}
	return ""
}

// An exclusive call is alone also under real threads, with callers who give up
// in the very moment they are let in.
func TestSharesUnderThreads(t *testing.T) {
	t.Parallel()
	var lane Shares
	var wg sync.WaitGroup
	var shared, alone atomic.Int32
	for i := range 400 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if rand.IntN(3) == 0 {
				wg.Go(cancel)
			}
			class := Class(i % 2)
			release, err := lane.Acquire(ctx, numbered(i), class)
			if err != nil {
				return
			}
			if class == Exclusive {
				if n := alone.Add(1); n != 1 || shared.Load() != 0 {
					t.Errorf("an exclusive call runs beside %d others", n-1+shared.Load())
				}
				alone.Add(-1)
			} else {
				shared.Add(1)
				if alone.Load() != 0 {
					t.Error("a shared call runs beside an exclusive one")
				}
				shared.Add(-1)
			}
			release()
			release()
		})
	}
	wg.Wait()
	if len(lane.queue) != 0 || lane.running != 0 || lane.alone {
		t.Errorf("everybody left, and the lane has %d waiting, %d running", len(lane.queue), lane.running)
	}
}
