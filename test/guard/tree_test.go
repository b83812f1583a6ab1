package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// module is the module path; packages are named below without it.
const module = "mindroom"

// pkg is what `go list` says of one package: no test file and no test import.
type pkg struct {
	ImportPath   string
	Name         string
	Dir          string
	GoFiles      []string
	IgnoredFiles []string `json:"IgnoredGoFiles"`
	Imports      []string
	Standard     bool
}

// short is the package's path inside the module, or the whole path of others.
func short(path string) string { return strings.TrimPrefix(path, module+"/") }

// ours reports whether path is a package of the module.
func ours(path string) bool { return strings.HasPrefix(path, module+"/") }

// root is the folder of go.mod; tests run in their package's folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatalf("the module's root is not two folders up: %v", err)
	}
	return dir
}

// command runs the go tool at the root, without cgo, as the product is built.
func command(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(err, errors.New(stderr.String()))
	}
	return out, nil
}

// list asks `go list`. -e: a package that does not compile at the moment still
// has imports.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	out, err := command(t.Context(), root(t), append([]string{"list", "-e", "-json=ImportPath,Name,Dir,GoFiles,IgnoredGoFiles,Imports,Standard"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

var tree struct {
	once sync.Once
	all  []pkg
}

// packages are those of the module that have a file which is no test.
func packages(t *testing.T) []pkg {
	t.Helper()
	tree.once.Do(func() {
		for _, p := range list(t, "./...") {
			if len(p.GoFiles)+len(p.IgnoredFiles) > 0 {
				tree.all = append(tree.all, p)
			}
		}
	})
	if len(tree.all) < 20 {
		t.Fatalf("go list found %d packages; this is not the whole tree", len(tree.all))
	}
	return tree.all
}

// sources calls visit with every file of the tree that has one of the endings,
// by its path relative to the root. Fixtures and hidden folders are left out.
func sources(t *testing.T, visit func(path string), endings ...string) {
	t.Helper()
	dir := root(t)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // someone is working here: it was there a moment ago
		}
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != dir && (name == "testdata" || name == "__pycache__" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		for _, ending := range endings {
			if d.Type().IsRegular() && strings.HasSuffix(path, ending) {
				rel, err := filepath.Rel(dir, path)
				if err != nil {
					return err
				}
				visit(filepath.ToSlash(rel))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
