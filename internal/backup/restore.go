package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// RestoreOptions say what is put back and where.
type RestoreOptions struct {
	// From is the folder of the backup.
	From string
	// Installation is where its parts go. Config is where the configuration goes if
	// nothing is there; what it includes goes beside it. Includes is not used.
	Installation
	// Force moves what is there aside instead of refusing.
	Force bool
	// Schemas are those of this program; an older database is brought up to them, a
	// newer one is refused.
	Schemas  []store.Schema
	Progress Progress
	Wall     clock.Wall // nil is the system clock
}

// Restored says what was done.
type Restored struct {
	Manifest Manifest
	// Aside are the new paths of what was there.
	Aside []string
	// Kept are files of the configuration that were there and were left alone.
	Kept []string
}

// OccupiedError says that something is there already.
type OccupiedError struct{ Paths []string }

// Error names what is there and what to do.
func (e *OccupiedError) Error() string {
	return fmt.Sprintf("there is an installation already (%s): restore to another place, or have it moved aside with --force", strings.Join(e.Paths, ", "))
}

// Restore verifies a backup and puts it in place. It fails with *DamagedError,
// with *OccupiedError, with *store.LockedError while a primary runs there, and
// with *store.SchemaError when a newer version made the backup; then nothing was
// changed.
func Restore(ctx context.Context, o RestoreOptions) (Restored, error) {
	m, err := Verify(o.From, o.Progress)
	if err != nil {
		return Restored{}, err
	}
	r := &restorer{o: o, m: m, at: o.Wall.Now(), part: ".part-" + strings.ToLower(rand.Text()[:8]), meter: o.Progress.over("restored", m.Bytes()), Restored: Restored{Manifest: m}}
	if err := os.MkdirAll(o.Control, 0o700); err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	release, err := store.Lock(o.database())
	if err != nil {
		return Restored{}, err
	}
	err = r.run(ctx)
	return r.Restored, errors.Join(err, release())
}

// restorer does one restore.
type restorer struct {
	o     RestoreOptions
	m     Manifest
	at    time.Time
	part  string // the end of the names of what is not in place yet
	meter *meter
	moves []move
	Restored
}

// move is a part of the backup on its way.
type move struct{ staged, to string }

func (r *restorer) run(ctx context.Context) (err error) {
	there := r.there()
	if len(there) > 0 && !r.o.Force {
		return &OccupiedError{there}
	}
	defer func() {
		for _, mv := range r.moves {
			err = errors.Join(err, os.RemoveAll(mv.staged))
		}
	}()
	if err := r.stage(ctx); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := r.prepare(ctx); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := r.moveAside(there); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := r.configuration(); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	for _, mv := range r.moves {
		if err := os.Rename(mv.staged, mv.to); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		if err := syncFolder(filepath.Dir(mv.to)); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
	}
	return nil
}

// there lists what a restore would have to replace.
func (r *restorer) there() (paths []string) {
	all := []string{r.o.database(), r.o.database() + "-wal", r.o.database() + "-shm", r.o.crypto(), filepath.Join(r.o.Storage, "media")}
	if r.m.Workspaces {
		for _, name := range workspaces {
			all = append(all, filepath.Join(r.o.Storage, name))
		}
	}
	for _, path := range all {
		if _, err := os.Lstat(path); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// stage copies everything beside its place. The database is the last to move.
func (r *restorer) stage(ctx context.Context) error {
	folders := []struct{ of, to string }{{cryptoDir, r.o.crypto()}, {mediaDir, filepath.Join(r.o.Storage, "media")}}
	for _, name := range workspaces {
		folders = append(folders, struct{ of, to string }{workspaceDir + "/" + name, filepath.Join(r.o.Storage, name)})
	}
	for _, f := range folders {
		files := r.m.under(f.of)
		if len(files) == 0 {
			continue
		}
		staged := f.to + r.part
		r.moves = append(r.moves, move{staged, f.to})
		for _, path := range files {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := r.copy(path, filepath.Join(staged, filepath.FromSlash(strings.TrimPrefix(path, f.of+"/")))); err != nil {
				return err
			}
		}
	}
	staged := r.o.database() + r.part
	r.moves = append(r.moves, move{staged, r.o.database()})
	return r.copy(databaseFile, staged)
}

func (r *restorer) copy(path, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	err := transfer(filepath.Join(r.o.From, filepath.FromSlash(path)), to, r.m.Files[path].Mode)
	r.meter.add(r.m.Files[path].Bytes)
	return err
}

// moveAside renames what is there.
func (r *restorer) moveAside(there []string) error {
	suffix := ".before-restore-" + r.at.Format("20060102T150405Z")
	for _, path := range there {
		if err := os.Rename(path, path+suffix); err != nil {
			return err
		}
		r.Aside = append(r.Aside, path+suffix)
	}
	return nil
}

// configuration puts the files of the configuration where nothing is.
func (r *restorer) configuration() error {
	if r.m.Config == "" || r.o.Config == "" {
		return nil
	}
	base := filepath.Dir(r.o.Config)
	for _, path := range r.m.under(configDir) {
		to := filepath.Join(base, filepath.FromSlash(strings.TrimPrefix(path, configDir+"/")))
		if path == r.m.Config {
			to = r.o.Config
		}
		if _, err := os.Lstat(to); err == nil {
			r.Kept = append(r.Kept, to)
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := r.copy(path, to); err != nil {
			return err
		}
	}
	return nil
}
