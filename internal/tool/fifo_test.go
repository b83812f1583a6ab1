package tool

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func numbered(n int) Ref { return Ref{DoorScript, "script-1", strconv.Itoa(n)} }

// TestFIFO holds that calls run one at a time, in the order of their places,
// whatever the order in which they ask for them; and that who leaves the middle
// of the line delays nobody.
func TestFIFO(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lane FIFO
		var ran trace
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 6 {
			if first := lane.Reserve(numbered(i)); first != (i == 0) {
				t.Errorf("place %d: first in line is %v", i, first)
			}
		}
		for _, i := range []int{5, 3, 2, 1, 0} { // 4 is claimed and will never come
			own := t.Context()
			if i == 2 {
				own = ctx
			}
			wg.Go(func() {
				release, err := lane.Acquire(own, numbered(i), Shared)
				if err != nil {
					if i != 2 || !errors.Is(err, context.Canceled) {
						t.Errorf("call %d: %v", i, err)
					}
					ran.add("x" + strconv.Itoa(i))
					return
				}
				ran.add(strconv.Itoa(i))
				time.Sleep(time.Second)
				release()
				release() // giving back twice gives back once
			})
			synctest.Wait()
		}
		if lane.Waiting() != 6 {
			t.Errorf("%d places are taken", lane.Waiting())
		}
		cancel()
		lane.Abandon(numbered(4))
		synctest.Wait()
		if got := ran.String(); got != "0 x2" {
			t.Errorf("before the first returned: %s", got)
		}
		time.Sleep(10 * time.Second)
		if got := ran.String(); got != "0 x2 1 3 5" {
			t.Errorf("ran in the order %s", got)
		}
		wg.Wait()
		if lane.Waiting() != 0 {
			t.Errorf("%d places are still taken", lane.Waiting())
		}
	})
}

func TestFIFOWithoutPlace(t *testing.T) {
	t.Parallel()
	var lane FIFO
	if _, err := lane.Acquire(t.Context(), numbered(1), Shared); !errors.Is(err, ErrNoPlace) {
		t.Errorf("a call without a place was given %v", err)
	}
	lane.Abandon(numbered(1)) // and giving up what it never had changes nothing
	if !lane.Reserve(numbered(2)) {
		t.Error("the lane is not free")
	}
	lane.Abandon(numbered(2))
	if !lane.Reserve(numbered(3)) || lane.Waiting() != 1 {
		t.Error("an abandoned place is still taken")
	}
}

// Under many callers that come and go there is never more than one.
func TestFIFOOneAtATime(t *testing.T) {
	t.Parallel()
	var lane FIFO
	var wg sync.WaitGroup
	running := 0 // guarded by the lane alone: -race tells when it does not
	for i := range 200 {
		lane.Reserve(numbered(i))
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			if i%3 == 0 {
				cancel()
			}
			defer cancel()
			release, err := lane.Acquire(ctx, numbered(i), Exclusive)
			if err != nil {
				return
			}
			if running++; running != 1 {
				t.Errorf("%d calls run", running)
			}
			running--
			release()
		})
	}
	wg.Wait()
	if lane.Waiting() != 0 {
		t.Errorf("%d places are still taken", lane.Waiting())
	}
}
