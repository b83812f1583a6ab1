package backup

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"mindroom/internal/approval"
	"mindroom/internal/chat"
	"mindroom/internal/command"
	"mindroom/internal/interactive"
	"mindroom/internal/matrix/seal"
	"mindroom/internal/store"
	"mindroom/internal/turn"
)

// prepare tells the staged databases that they are of the past, and brings them
// up to this program's schema.
func (r *restorer) prepare(ctx context.Context) error {
	staged := r.o.database() + r.part
	db, err := store.Open(ctx, staged, r.o.Schemas...)
	if err == nil {
		if err = db.Known(ctx, r.o.Schemas...); err == nil {
			err = db.Write(ctx, func(tx *store.Tx) error {
				if err := chat.Restore(tx, r.at); err != nil {
					return err
				}
				if err := turn.Restore(tx, r.at); err != nil {
					return err
				}
				if err := approval.Restore(tx, r.at); err != nil {
					return err
				}
				if err := interactive.Restore(tx, r.at); err != nil {
					return err
				}
				return command.Restore(tx, r.at)
			})
		}
		err = errors.Join(err, db.Close())
	}
	// The last to close a database removes its log; only its lock is left.
	err = errors.Join(err, os.Remove(staged+".lock"))
	if err != nil {
		return err
	}
	for _, path := range r.m.under(cryptoDir) {
		if err := seal.Restore(ctx, filepath.Join(r.o.crypto()+r.part, filepath.Base(path))); err != nil {
			return err
		}
	}
	return nil
}
