package store

// Tx is what a closure of Write works on. It belongs to the closure and to its
// goroutine, and is dead once the closure has returned.
type Tx struct {
	session
	hooks []func()
}

var _ Queryer = (*Tx)(nil)

// Exec runs a change and returns how many rows it touched.
//
// An error of a constraint undoes that statement only and the closure may go
// on. After an error that cost the transaction (ErrFull, ErrIO and their like)
// every later statement of the closure returns the same error; the closure is
// then run again by itself.
func (tx *Tx) Exec(query string, args ...any) (int64, error) { return tx.exec(query, args) }

// AfterCommit has fn run once the closure's commit is durable, before its Write
// returns. Not called when the closure fails. fn runs on the writer's
// goroutine: it must not block and must not call Write; it is for waking
// others. A panic in it is logged and costs nothing that was committed.
func (tx *Tx) AfterCommit(fn func()) { tx.hooks = append(tx.hooks, fn) }
