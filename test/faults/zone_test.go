//go:build goolm

package faults

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// instants are all instants that the database holds, by table, row and column.
func (w *world) instants() map[string]time.Time {
	w.t.Helper()
	found := map[string]time.Time{}
	w.must(w.read(func(q *store.Reader) error {
		var places [][2]string
		err := store.Each(q, func(rows *store.Rows) error {
			var table, column string
			err := rows.Scan(&table, &column)
			places = append(places, [2]string{table, column})
			return err
		}, `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.sql NOT LIKE '%WITHOUT ROWID%'`)
		for _, place := range places {
			if err != nil {
				return err
			}
			err = store.Each(q, func(rows *store.Rows) error {
				var row int64
				var text string
				if err := rows.Scan(&row, &text); err != nil {
					return err
				}
				if at, err := clock.ParseStamp(text); err == nil {
					found[fmt.Sprintf("%s %d %s", place[0], row, place[1])] = at
				}
				return nil
			}, fmt.Sprintf(`SELECT rowid, CAST(%[2]q AS TEXT) FROM %[1]q WHERE length(CAST(%[2]q AS TEXT)) = 27`, place[0], place[1]))
		}
		return err
	}))
	return found
}

// The process wakes up on the other side of the world, twice: no instant that is
// stored changes, and what is stored then lies where it belongs.
func TestAnotherZone(t *testing.T) {
	if testing.Short() {
		t.Log("short: nothing is started")
		return
	}
	t.Parallel()
	w := newWorld(t, false)
	begin := time.Now().Add(-2 * time.Second)
	known := map[string]time.Time{}
	for i, zone := range []string{"Pacific/Auckland", "America/Los_Angeles", "Europe/Berlin"} {
		from := time.Now().Add(-2 * time.Second)
		w.launch("TZ=" + zone)
		w.ready()
		if i == 0 {
			w.enter()
		}
		w.ask("hello from "+zone, zone)
		w.answered()
		w.ask("start", "Started")
		w.answered()
		w.stop()
		now := w.instants()
		for _, place := range slices.Sorted(maps.Keys(now)) {
			at, before := now[place], known[place]
			switch {
			case at.Before(begin) && !at.IsZero():
				t.Errorf("%s: %s is %s, before everything", zone, place, at)
			case at.Equal(before):
			case at.After(time.Now().Add(2 * time.Second)):
				t.Errorf("%s: %s is %s, which is to come", zone, place, at)
			case at.Before(from):
				t.Errorf("%s: %s is %s and was %s", zone, place, at, before)
			}
		}
		if len(now) <= len(known) || len(now) < 20 {
			t.Errorf("%s: %d instants, %d before", zone, len(now), len(known))
		}
		known = now
	}
}
