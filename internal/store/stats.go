package store

import "sync/atomic"

type counters struct {
	writes, commits, retried, largest atomic.Int64
}

func (c *counters) committed(writes int) {
	c.commits.Add(1)
	c.writes.Add(int64(writes))
	if n := int64(writes); n > c.largest.Load() { // only the writer stores
		c.largest.Store(n)
	}
}

// Stats are counts since Open. Commits ÷ Writes is the price of a write in
// fsyncs.
type Stats struct {
	Writes       int64 // closures committed
	Commits      int64 // transactions that reached the disk, one fsync each
	LostGroups   int64 // groups that had to be run again one by one
	LargestGroup int64 // closures in the largest commit
}

// Stats returns the present counts. They are read one by one and may be of
// neighbouring instants.
func (db *DB) Stats() Stats {
	s := &db.stats
	return Stats{Writes: s.writes.Load(), Commits: s.commits.Load(), LostGroups: s.retried.Load(), LargestGroup: s.largest.Load()}
}
