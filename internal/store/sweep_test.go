package store

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// A sweep goes on where a batch left off, counts what was committed alone, and ends
// with its context without an error.
func TestSweep(t *testing.T) {
	t.Parallel()
	db := openTest(t)
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		stops, fails int // the batch that ends the context, or fails; 0 is none
		total        int
		err          error
		from         []int64
	}{
		"to the end":      {total: 6, from: []int64{-1, 9, 19}},
		"stopped":         {stops: 2, total: 4, from: []int64{-1, 9}},
		"a batch fails":   {fails: 2, total: 2, err: broken, from: []int64{-1, 9}},
		"fails and stops": {stops: 1, fails: 1, from: []int64{-1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var from []int64
			total, err := db.Sweep(ctx, func(_ *Tx, after int64) (int64, int, bool, error) {
				from = append(from, after)
				n := len(from)
				if n == c.stops {
					cancel()
				}
				if n == c.fails {
					return 0, 7, false, broken
				}
				return int64(n*10 - 1), 2, n == 3, nil
			})
			if !errors.Is(err, c.err) || !slices.Equal(from, c.from) || total != c.total {
				t.Errorf("%d from %v: %v, want %d from %v: %v", total, from, err, c.total, c.from, c.err)
			}
		})
	}
}
