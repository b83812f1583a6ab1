package store

import "context"

// Batch looks at the rows of one transaction of a Sweep: those whose numbers
// follow after, in their order. last is the newest that it looked at, done how
// many it did something to, and over says that none is to be looked at any more.
// It bounds itself how many rows it takes, so that no other write waits long
// behind it.
type Batch func(tx *Tx, after int64) (last int64, done int, over bool, err error)

// Sweep walks over rows numbered from 0, a transaction each batch, and returns what
// the batches that committed did together. It stops early, without an error, when
// ctx ends.
func (db *DB) Sweep(ctx context.Context, batch Batch) (int, error) {
	total, after := 0, int64(-1)
	for ctx.Err() == nil {
		var last int64
		var done int
		var over bool
		err := db.Write(ctx, func(tx *Tx) (err error) {
			last, done, over, err = batch(tx, after)
			return err
		})
		switch {
		case err != nil && ctx.Err() == nil:
			return total, err
		case err != nil:
			return total, nil
		}
		if total += done; over {
			return total, nil
		}
		after = last
	}
	return total, nil
}
