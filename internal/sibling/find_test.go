package sibling

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Not parallel: what is looked at is the process's own environment.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	program, text := filepath.Join(dir, "program"), filepath.Join(dir, "text")
	for path, mode := range map[string]os.FileMode{program: 0o700, text: 0o600} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for value, want := range map[string]string{program: "", text: "it is no program", dir: "it is no program", filepath.Join(dir, "none"): "no such file"} {
		t.Setenv("SIBLING_TEST", value)
		got, err := Find("mindroom-test", "SIBLING_TEST")
		if want == "" && (err != nil || got != value) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %q, %v", value, got, err)
		}
	}
	t.Setenv("SIBLING_TEST", "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(filepath.Dir(self), "mindroom-test")
	if _, err := Find("mindroom-test", "SIBLING_TEST"); err == nil || !strings.HasPrefix(err.Error(), "no program "+want+"; install mindroom-test beside mindroom") {
		t.Errorf("beside this program: %v", err)
	}
}
