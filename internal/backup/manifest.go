package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// format is the version of the layout that this program writes and reads.
const format = 1

// manifestName lies at the top of every backup.
const manifestName = "manifest.json"

// The folders of a backup.
const (
	databaseFile = "database/mindroom.db"
	cryptoDir    = "crypto"
	mediaDir     = "media"
	configDir    = "config"
	workspaceDir = "workspaces"
)

// Manifest says what a backup holds.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // of the program that made it
	Created time.Time `json:"created_at"`
	// Running says that a primary was running while it was made.
	Running bool `json:"running"`
	// Config is the path of the configuration inside the backup; empty when there
	// was none.
	Config string `json:"config"`
	// Workspaces says that they are in it.
	Workspaces bool `json:"workspaces"`
	// Schema are the steps that the database had, by package.
	Schema map[string]int `json:"schema_steps"`
	// LeftOut are files that the configuration names and that lie elsewhere.
	LeftOut []string `json:"left_out"`
	// Files are all files but this one, by their path in the backup with slashes.
	Files map[string]File `json:"files"`
}

// File is one file of a backup.
type File struct {
	Bytes  int64       `json:"bytes"`
	SHA256 string      `json:"sha256"`
	Mode   fs.FileMode `json:"mode"` // permission bits
}

// Bytes is the size of all files.
func (m Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}

// DamagedError says that a folder is no backup that can be restored.
type DamagedError struct {
	Folder string
	// Path is the file in question, empty for the whole.
	Path, Reason string
}

// Error names the folder, the file and what is wrong with it.
func (e *DamagedError) Error() string {
	where := e.Folder
	if e.Path != "" {
		where = filepath.Join(e.Folder, filepath.FromSlash(e.Path))
	}
	return fmt.Sprintf("the backup cannot be restored: %s: %s: use another one", where, e.Reason)
}

// Read reads the manifest of a backup. A folder without one, and one of a format
// that this program does not know, are *DamagedError.
func Read(folder string) (Manifest, error) {
	raw, err := os.ReadFile(filepath.Join(folder, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, &DamagedError{folder, manifestName, "there is no manifest"}
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read the backup: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, &DamagedError{folder, manifestName, "it cannot be read"}
	}
	if m.Format != format {
		return m, &DamagedError{folder, manifestName, fmt.Sprintf("its format is %d, and this program knows %d", m.Format, format)}
	}
	for path := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(path)) {
			return m, &DamagedError{folder, path, "it would lie outside of the backup"}
		}
	}
	if _, ok := m.Files[databaseFile]; !ok {
		return m, &DamagedError{folder, databaseFile, "the database is missing"}
	}
	return m, nil
}

// Verify reads a backup whole and compares every file with the manifest.
func Verify(folder string, progress Progress) (Manifest, error) {
	m, err := Read(folder)
	if err != nil {
		return m, err
	}
	p := progress.over("compared", m.Bytes())
	for path, want := range m.Files {
		got, err := digest(filepath.Join(folder, filepath.FromSlash(path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return m, &DamagedError{folder, path, "it is missing"}
		case err != nil:
			return m, fmt.Errorf("read the backup: %w", err)
		case got.Bytes != want.Bytes || got.SHA256 != want.SHA256:
			return m, &DamagedError{folder, path, "it was changed"}
		}
		p.add(got.Bytes)
	}
	return m, nil
}

// digest reads a regular file.
func digest(path string) (File, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return File{}, err
	}
	if !info.Mode().IsRegular() {
		return File{}, fmt.Errorf("%s is no file: %w", path, fs.ErrInvalid)
	}
	f, err := os.Open(path)
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return File{Bytes: n, SHA256: hex.EncodeToString(sum.Sum(nil)), Mode: info.Mode().Perm()}, err
}
