package launcher

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// holds fails unless the folder is what the package promises.
func holds(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 1 || entries[0].Name() != Name {
		t.Errorf("%s holds %v", dir, entries)
	}
	for path, want := range map[string]fs.FileMode{dir: fs.ModeDir | 0o700, filepath.Join(dir, Name): 0o700} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want || !ours(info) {
			t.Errorf("%s: %v, %v; want the mode %v", path, info, err, want)
		}
	}
	source, err := os.ReadFile(os.Getenv(locateEnv))
	must(t, err)
	if laid, err := os.ReadFile(filepath.Join(dir, Name)); err != nil || string(laid) != string(source) {
		t.Errorf("what is laid is not the program: %d bytes, %v", len(laid), err)
	}
	if out, err := exec.Command(filepath.Join(dir, Name), "--build-id").Output(); err != nil || len(out) == 0 {
		t.Errorf("what is laid does not start: %q, %v", out, err)
	}
}

// TestLay holds that whatever is found there, the folder is right afterwards (C21).
func TestLay(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"nothing there":   func(t *testing.T, dir string) { must(t, os.RemoveAll(dir)) },
		"nothing in it":   func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, Name))) },
		"as it should be": func(*testing.T, string) {},
		"not executable":  func(t *testing.T, dir string) { must(t, os.Chmod(filepath.Join(dir, Name), 0o600)) },
		"open to others":  func(t *testing.T, dir string) { must(t, os.Chmod(filepath.Join(dir, Name), 0o755)) },
		"a foreign one": func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, Name), []byte("#!/bin/sh\n"), 0o700))
		},
		"a folder instead": func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, Name)))
			must(t, os.MkdirAll(filepath.Join(dir, Name, "x"), 0o700))
		},
		"a link instead": func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, Name)))
			must(t, os.Symlink(os.Getenv(locateEnv), filepath.Join(dir, Name)))
		},
		"others beside it": func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "mindroom"), nil, 0o700))
			must(t, os.MkdirAll(filepath.Join(dir, "d", "e"), 0o700))
			must(t, os.Symlink("/bin/sh", filepath.Join(dir, "sh")))
			must(t, os.WriteFile(filepath.Join(dir, "."+Name+".left"), nil, 0o700))
		},
		"a folder that others read": func(t *testing.T, dir string) { must(t, os.Chmod(dir, 0o755)) },
		"a folder that others write": func(t *testing.T, dir string) {
			// What lies there looks right, and is not.
			path := filepath.Join(dir, Name)
			info, err := os.Stat(path)
			must(t, err)
			must(t, os.WriteFile(path, make([]byte, info.Size()), 0o700))
			must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
			must(t, os.Chmod(dir, 0o777))
		},
		"of the right size": func(t *testing.T, dir string) {
			path := filepath.Join(dir, Name)
			info, err := os.Stat(path)
			must(t, err)
			must(t, os.WriteFile(path, make([]byte, info.Size()), 0o700))
		},
		"with a coarse time": func(t *testing.T, dir string) {
			must(t, os.Chtimes(filepath.Join(dir, Name), time.Unix(1, 0), time.Unix(1, 0)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// A comma and a space in the path are part of it.
			storage := filepath.Join(t.TempDir(), "my, storage")
			must(t, os.Mkdir(storage, 0o700))
			want := filepath.Join(storage, Folder)
			dir, err := Lay(storage)
			if err != nil || dir != want {
				t.Fatalf("%q, %v", dir, err)
			}
			holds(t, dir)
			spoil(t, dir)
			if again, err := Lay(storage); err != nil || again != want {
				t.Fatalf("%q, %v", again, err)
			}
			holds(t, dir)
		})
	}
}

// TestARightFolderIsLeftAlone holds that looking costs no copy.
func TestARightFolderIsLeftAlone(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	inode := func() uint64 {
		dir, err := Lay(storage)
		must(t, err)
		info, err := os.Stat(filepath.Join(dir, Name))
		must(t, err)
		return info.Sys().(*syscall.Stat_t).Ino
	}
	first := inode()
	must(t, os.Chtimes(filepath.Join(storage, Folder, Name), time.Unix(1, 0), time.Unix(1, 0)))
	if second := inode(); second != first {
		t.Error("an equal program was copied again")
	}
}

func TestLayRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, storage string){
		"a link": func(t *testing.T, storage string) {
			must(t, os.Symlink(t.TempDir(), filepath.Join(storage, Folder)))
		},
		"a file":     func(t *testing.T, storage string) { must(t, os.WriteFile(filepath.Join(storage, Folder), nil, 0o700)) },
		"no storage": func(t *testing.T, storage string) { must(t, os.RemoveAll(storage)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storage := filepath.Join(t.TempDir(), "storage")
			must(t, os.Mkdir(storage, 0o700))
			spoil(t, storage)
			before, _ := os.Readlink(filepath.Join(storage, Folder))
			dir, err := Lay(storage)
			var e *Error
			if dir != "" || !errors.As(err, &e) || e.Kind != KindFolder || !strings.Contains(e.Error(), Folder) {
				t.Errorf("%q, %v", dir, err)
			}
			if name != "no storage" {
				if err := Inspect(t.Context(), storage); !errors.As(err, &e) || e.Kind != KindFolder {
					t.Errorf("inspected as %v", err)
				}
			}
			if entries, err := os.ReadDir(before); before != "" && (err != nil || len(entries) > 0) {
				t.Errorf("it was followed: %v, %v", entries, err)
			}
		})
	}
}

// TestManyAtOnce holds that shells that start together find one program, always.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			dir, err := Lay(storage)
			if err != nil {
				t.Error(err)
				return
			}
			if out, err := exec.Command(filepath.Join(dir, Name), "--build-id").CombinedOutput(); err != nil {
				t.Errorf("%s, %v", out, err)
			}
		})
	}
	all.Wait()
	dir, err := Lay(storage)
	must(t, err)
	holds(t, dir)
}

func TestInspectChangesNothing(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	must(t, Inspect(t.Context(), storage))
	if _, err := os.Stat(filepath.Join(storage, Folder)); !os.IsNotExist(err) {
		t.Errorf("the folder was made: %v", err)
	}
	dir, err := Lay(storage)
	must(t, err)
	must(t, os.Chmod(dir, 0o755))
	must(t, Inspect(t.Context(), storage))
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder was mended: %v, %v", info, err)
	}
}
