package store

// Point is a place in the writer where a test may step in.
type Point string

// The points, in the order in which a group passes them.
const (
	// BeforeCommit: every closure ran, nothing is durable.
	BeforeCommit Point = "before_commit"
	// AfterCommit: durable, but no hook ran and no caller was told.
	AfterCommit Point = "after_commit"
)

// SetFault has fn called at each point, on the writer's goroutine. An error at
// BeforeCommit is taken for a failed commit; at AfterCommit it is ignored. It is
// the seam by which tests of this package and of others make a commit fail once
// or end the process at a known place; nil removes it.
func (db *DB) SetFault(fn func(Point) error) { db.fault.Store(&fn) }

func (db *DB) at(p Point) error {
	if fn := db.fault.Load(); fn != nil && *fn != nil {
		return (*fn)(p)
	}
	return nil
}
