package backup

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/runtime"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/turn"
	"mindroom/test/past"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var schemas = runtime.Schemas()

// house is an installation with a story, on no homeserver.
type house struct {
	Installation
	story past.Story
}

func newHouse(t *testing.T) house {
	t.Helper()
	dir := t.TempDir()
	h := house{Installation: Installation{
		Control: filepath.Join(dir, "storage", "control_state"), Storage: filepath.Join(dir, "storage"), Config: filepath.Join(dir, "config.yaml"),
		Includes: []string{filepath.Join(dir, "agents", "more.yaml"), "/etc/elsewhere.py"},
	}}
	for path, text := range map[string]string{
		h.Config: "agents: {}\n", filepath.Join(dir, ".env"): "MATRIX_HOMESERVER=https://matrix.example.org\n", h.Includes[0]: "more: 1\n",
		filepath.Join(dir, "skills", "greet", "SKILL.md"): "Say hello.",
		filepath.Join(h.Storage, "media", "ab", "abcd"):   "a picture", filepath.Join(h.Storage, "agents", "watcher", "workspace", "notes.txt"): "my notes",
	} {
		write(t, path, text)
	}
	if err := os.Chmod(filepath.Join(h.Storage, "agents", "watcher", "workspace", "notes.txt"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(h.Control, 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if h.story, err = past.Write(t.Context(), h.Control); err != nil {
		t.Fatal(err)
	}
	return h
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o640)); err != nil {
		t.Fatal(err)
	}
}

func (h house) backup(t *testing.T) (string, Manifest) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "deep", "backup")
	m, err := Write(t.Context(), Options{Installation: h.Installation, To: to, Version: "test", Workspaces: true})
	if err != nil {
		t.Fatal(err)
	}
	return to, m
}

// elsewhere is an empty place.
func elsewhere(t *testing.T) Installation {
	dir := t.TempDir()
	return Installation{Control: filepath.Join(dir, "control"), Storage: filepath.Join(dir, "data"), Config: filepath.Join(dir, "etc", "house.yaml")}
}

func restore(t *testing.T, from string, to Installation) Restored {
	t.Helper()
	r, err := Restore(t.Context(), RestoreOptions{From: from, Installation: to, Schemas: schemas})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Everything comes back, byte for byte and with its mode, to another place; and
// what the past must be told is told.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	from, m := h.backup(t)
	if m.Running || m.Version != "test" || m.Schema["chat"] != len(chat.Schema.Steps) || !slices.Equal(m.LeftOut, []string{"/etc/elsewhere.py"}) {
		t.Errorf("manifest: %+v", m)
	}
	to := elsewhere(t)
	if r := restore(t, from, to); len(r.Aside)+len(r.Kept) > 0 {
		t.Errorf("in an empty place: %+v", r)
	}
	for path, want := range map[string]string{
		to.Config: "agents: {}\n", filepath.Join(filepath.Dir(to.Config), ".env"): "MATRIX_HOMESERVER=https://matrix.example.org\n",
		filepath.Join(filepath.Dir(to.Config), "skills", "greet", "SKILL.md"):    "Say hello.",
		filepath.Join(filepath.Dir(to.Config), "agents", "more.yaml"):            "more: 1\n",
		filepath.Join(to.Storage, "media", "ab", "abcd"):                         "a picture",
		filepath.Join(to.Storage, "agents", "watcher", "workspace", "notes.txt"): "my notes",
	} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	info, err := os.Stat(filepath.Join(to.Storage, "agents", "watcher", "workspace", "notes.txt"))
	if err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	db, err := store.Open(t.Context(), to.database(), schemas...)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Read(t.Context(), func(r *store.Reader) error {
		for _, id := range []string{h.story.Turn, h.story.Woken} {
			got, found, err := turn.Read(r, id)
			if err != nil || !found || got.State != turn.Interrupted || got.Reason != string(turn.ReasonRestored) {
				t.Errorf("turn %s: %+v, %v", id, got, err)
			}
		}
		_, found, err := script.Read(r, h.story.Run)
		if !found {
			t.Error("the run is gone")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(to.Control), "*", "*.part-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// One byte that changed, a file that is missing, a manifest of another kind:
// nothing is put anywhere (sentence 2).
func TestDamaged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, harm := range map[string]func(t *testing.T, folder string){
		"a byte": func(t *testing.T, folder string) {
			path := filepath.Join(folder, "database", "mindroom.db")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			raw[len(raw)/2] ^= 1
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"a file":      func(t *testing.T, folder string) { _ = os.Remove(filepath.Join(folder, "media", "ab", "abcd")) },
		"no manifest": func(t *testing.T, folder string) { _ = os.Remove(filepath.Join(folder, manifestName)) },
		"no JSON":     func(t *testing.T, folder string) { write(t, filepath.Join(folder, manifestName), "{") },
		"another format": func(t *testing.T, folder string) {
			change(t, folder, func(m map[string]any) { m["format"] = format + 1 })
		},
		"outside": func(t *testing.T, folder string) {
			change(t, folder, func(m map[string]any) { m["files"].(map[string]any)["../../evil"] = map[string]any{"bytes": 0} })
		},
		"no database": func(t *testing.T, folder string) {
			change(t, folder, func(m map[string]any) { delete(m["files"].(map[string]any), databaseFile) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, _ := h.backup(t)
			harm(t, from)
			to := elsewhere(t)
			_, err := Restore(t.Context(), RestoreOptions{From: from, Installation: to, Schemas: schemas})
			var damaged *DamagedError
			if !errors.As(err, &damaged) {
				t.Errorf("Restore = %v", err)
			}
			if _, err := os.Stat(filepath.Dir(to.Config)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("something was put in place: %v", err)
			}
		})
	}
}

func change(t *testing.T, folder string, by func(map[string]any)) {
	t.Helper()
	path := filepath.Join(folder, manifestName)
	raw, err := os.ReadFile(path)
	var m map[string]any
	if err = errors.Join(err, json.Unmarshal(raw, &m)); err != nil {
		t.Fatal(err)
	}
	by(m)
	if raw, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	write(t, path, string(raw))
}

// Nothing is restored under a primary, over an installation, or from a newer
// version; what is there stays as it is (sentence 3).
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	from, _ := h.backup(t)
	to := elsewhere(t)
	restore(t, from, to)
	was, err := os.ReadFile(to.database())
	if err != nil {
		t.Fatal(err)
	}
	try := func(o RestoreOptions) error {
		t.Helper()
		o.From, o.Installation = from, to
		_, err := Restore(t.Context(), o)
		if now, readErr := os.ReadFile(to.database()); readErr != nil || string(now) != string(was) {
			t.Errorf("the database changed: %v", readErr)
		}
		return err
	}
	var occupied *OccupiedError
	if err := try(RestoreOptions{Schemas: schemas}); !errors.As(err, &occupied) || !slices.Contains(occupied.Paths, to.database()) {
		t.Errorf("over an installation: %v", err)
	}
	older := slices.Clone(schemas)
	older[0].Steps = older[0].Steps[:1]
	var newer *store.SchemaError
	if err := try(RestoreOptions{Schemas: older, Force: true}); !errors.As(err, &newer) || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("from a newer version: %v", err)
	}
	if err := try(RestoreOptions{Schemas: schemas[1:], Force: true}); !errors.As(err, &newer) || newer.Schema != schemas[0].Name {
		t.Errorf("with a package of a newer version: %v", err)
	}
	release, err := store.Lock(to.database())
	if err != nil {
		t.Fatal(err)
	}
	var locked *store.LockedError
	if err := try(RestoreOptions{Schemas: schemas, Force: true}); !errors.As(err, &locked) {
		t.Errorf("under a primary: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	// By force it is moved aside, whole; the configuration that is there stays.
	write(t, to.Config, "mine: 1\n")
	r, err := Restore(t.Context(), RestoreOptions{From: from, Installation: to, Schemas: schemas, Force: true, Wall: clock.Fixed(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))})
	if err != nil {
		t.Fatal(err)
	}
	aside := to.database() + ".before-restore-20260301T090000Z"
	if !slices.Contains(r.Aside, aside) || !slices.Contains(r.Kept, to.Config) {
		t.Errorf("%+v", r)
	}
	if old, err := os.ReadFile(aside); err != nil || string(old) != string(was) {
		t.Errorf("what was there is not aside as it was: %v", err)
	}
	if mine, err := os.ReadFile(to.Config); err != nil || string(mine) != "mine: 1\n" {
		t.Errorf("the configuration reads %q, %v", mine, err)
	}
}

// An older database is brought up to date on the way.
func TestOlderSchema(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	from, _ := h.backup(t)
	later := slices.Clone(schemas)
	later = append(later, store.Schema{Name: "later", Steps: []string{"CREATE TABLE later (x TEXT)"}})
	to := elsewhere(t)
	if _, err := Restore(t.Context(), RestoreOptions{From: from, Installation: to, Schemas: later}); err != nil {
		t.Fatal(err)
	}
	steps, err := steps(t.Context(), to.database())
	if err != nil || steps["later"] != 1 {
		t.Errorf("steps %v, %v", steps, err)
	}
}

// A backup that cannot be finished is not there, and one that is there is not
// written over (sentence 1).
func TestWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	from, _ := h.backup(t)
	if _, err := Write(t.Context(), Options{Installation: h.Installation, To: from}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a backup: %v", err)
	}
	if _, err := Verify(from, nil); err != nil {
		t.Errorf("it is not whole any more: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	to := filepath.Join(t.TempDir(), "cut")
	if _, err := Write(ctx, Options{Installation: h.Installation, To: to}); err == nil {
		t.Error("cut short, and nobody says so")
	}
	if left, err := os.ReadDir(filepath.Dir(to)); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	if _, err := Write(t.Context(), Options{Installation: elsewhere(t), To: to}); !errors.Is(err, ErrNoDatabase) {
		t.Errorf("of nothing: %v", err)
	}
}

// Beside a writer the copy is of one state, and says that a primary was running.
func TestBesideAPrimary(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	db, err := store.Open(t.Context(), h.database(), schemas...)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	from, m := h.backup(t)
	if !m.Running {
		t.Error("it does not say so")
	}
	if _, err := Verify(from, nil); err != nil {
		t.Error(err)
	}
}
