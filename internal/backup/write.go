package backup

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// Installation is where the parts of an installation lie.
type Installation struct {
	// Control and Storage are the folders of config.Runtime.
	Control, Storage string
	// Config is the configuration file; the .env beside it belongs to it. Includes
	// are further files, absolute.
	Config   string
	Includes []string
}

func (i Installation) database() string { return filepath.Join(i.Control, "mindroom.db") }
func (i Installation) crypto() string   { return filepath.Join(i.Control, "crypto") }

// workspaces are the folders of the storage in which agents work.
var workspaces = []string{"agents", "private_instances"}

// Options say what is written and where.
type Options struct {
	Installation
	// To is the folder to make; there must be nothing of that name.
	To string
	// Version is that of the program.
	Version string
	// Workspaces has the agents' folders copied too.
	Workspaces bool
	Progress   Progress
	Wall       clock.Wall // nil is the system clock
}

// ErrNoDatabase says that there is nothing to back up.
var ErrNoDatabase = errors.New("there is no database yet")

// Write makes a backup and returns what is in it. On an error nothing is left
// under the name.
func Write(ctx context.Context, o Options) (m Manifest, err error) {
	if _, err := os.Stat(o.database()); errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("%w in %s", ErrNoDatabase, o.Control)
	}
	if _, err := os.Lstat(o.To); err == nil {
		return m, fmt.Errorf("write the backup: %s: %w: name a folder that does not exist yet", o.To, fs.ErrExist)
	}
	w := &writer{folder: o.To + ".part-" + strings.ToLower(rand.Text()[:8]), meter: o.Progress.over("copied", 0), m: Manifest{
		Format: format, Version: o.Version, Created: o.Wall.Now(), Running: running(o.database()), Workspaces: o.Workspaces,
		LeftOut: []string{}, Files: map[string]File{},
	}}
	if err := os.MkdirAll(filepath.Dir(o.To), 0o755); err != nil {
		return m, fmt.Errorf("write the backup: %w", err)
	}
	if err := os.Mkdir(w.folder, 0o700); err != nil {
		return m, fmt.Errorf("write the backup: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write the backup: %w", err), os.RemoveAll(w.folder))
		}
	}()
	for _, part := range []func(context.Context, Options) error{w.databases, w.configuration, w.files} {
		if err := part(ctx, o); err != nil {
			return m, err
		}
	}
	return w.m, w.finish(o.To)
}

// running tells whether a primary has the database open.
func running(database string) bool {
	release, err := store.Lock(database)
	var locked *store.LockedError
	if err == nil {
		err = release()
	}
	return errors.As(err, &locked)
}

// writer fills the folder of one backup.
type writer struct {
	folder string
	m      Manifest
	meter  *meter
}

// place is where a file of the backup goes; its folder is made.
func (w *writer) place(path string) (string, error) {
	to := filepath.Join(w.folder, filepath.FromSlash(path))
	return to, os.MkdirAll(filepath.Dir(to), 0o700)
}

// took notes a file that is in its place.
func (w *writer) took(path string, mode fs.FileMode) error {
	f, err := digest(filepath.Join(w.folder, filepath.FromSlash(path)))
	if err != nil {
		return err
	}
	f.Mode = mode
	w.m.Files[path] = f
	w.meter.add(f.Bytes)
	return nil
}

func (w *writer) databases(ctx context.Context, o Options) error {
	if err := w.snapshot(ctx, o.database(), databaseFile); err != nil {
		return err
	}
	var err error
	if w.m.Schema, err = steps(ctx, filepath.Join(w.folder, filepath.FromSlash(databaseFile))); err != nil {
		return err
	}
	stores, err := filepath.Glob(filepath.Join(o.crypto(), "*.db"))
	if err != nil {
		return err
	}
	for _, path := range stores {
		if err := w.snapshot(ctx, path, cryptoDir+"/"+filepath.Base(path)); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) snapshot(ctx context.Context, from, path string) error {
	to, err := w.place(path)
	if err != nil {
		return err
	}
	if err := store.Copy(ctx, from, to); err != nil {
		return err
	}
	return w.took(path, 0o600)
}

// steps are the schema steps of a database.
func steps(ctx context.Context, path string) (map[string]int, error) {
	db, err := store.OpenReadOnly(ctx, path)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	err = db.Read(ctx, func(r *store.Reader) error {
		return store.Each(r, func(rows *store.Rows) error {
			var name string
			var n int
			err := rows.Scan(&name, &n)
			out[name] = n
			return err
		}, `SELECT name, max(step) FROM schema_steps GROUP BY name`)
	})
	err = errors.Join(err, db.Close())
	// Looking at it made files beside it that belong to nobody.
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
	return out, err
}

// finish writes the manifest and gives the backup its name.
func (w *writer) finish(to string) error {
	raw, err := json.MarshalIndent(w.m, "", "  ")
	if err != nil {
		return err
	}
	if err := lay(filepath.Join(w.folder, manifestName), append(raw, '\n'), 0o600); err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}
	if err := os.Rename(w.folder, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}
