package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// TestRefusedFiles holds what a person reads about every kind of fault, to the column. Each file collects the faults of one
// section, so the test also shows that all of them are told at once.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	for _, path := range glob(t, "testdata/refused/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			cfg, warnings, err := Parse(filepath.Base(path), read(t, path), toolkits(), Env{})
			var faults Errors
			if !errors.As(err, &faults) {
				t.Fatalf("want Errors, got %v", err)
			}
			if cfg != nil {
				t.Error("a Config came with errors (invariant 3)")
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", report(faults, warnings))
		})
	}
}

// TestAcceptedFiles holds the warnings of whole configurations that must load. watcher.yaml is the example of the document on
// background scripts, unchanged (S01).
func TestAcceptedFiles(t *testing.T) {
	t.Parallel()
	for _, path := range glob(t, "testdata/accepted/*.yaml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			_, warnings, err := Parse(filepath.Base(path), read(t, path), toolkits(), Env{})
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(path, ".yaml")+".golden", report(nil, warnings))
		})
	}
}

func report(faults Errors, warnings Warnings) string {
	var b strings.Builder
	for _, e := range faults {
		b.WriteString("error   " + e.Error() + "\n")
	}
	for _, w := range warnings {
		b.WriteString("warning " + w.String() + "\n")
	}
	return b.String()
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files match %s: %v", pattern, err)
	}
	return paths
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(read(t, path)), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}
