package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestEnvChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process := func(name string) (string, bool) { return "exported", name == "EXPORTED" }
	read := func(text string) Env {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		env, err := ReadEnv(dir, process)
		if err != nil {
			t.Fatal(err)
		}
		return env
	}
	none, err := ReadEnv(dir, process)
	if err != nil {
		t.Fatal(err)
	}
	one := read("A=1\nB=2\nEXPORTED=mine\nEMPTY=\n")
	if got := one.Changed(read("# other words, same values\nB=2\nEMPTY=\nA='1'\n")); len(got) != 0 {
		t.Errorf("same values differ in %v", got)
	}
	if got, want := one.Changed(read("A=2\nC=3\n")), []string{"A", "B", "C", "EMPTY"}; !slices.Equal(got, want) {
		t.Errorf("changed %v, want %v", got, want)
	}
	if got, want := none.Changed(one), []string{"A", "B", "EMPTY"}; !slices.Equal(got, want) {
		t.Errorf("a new file changes %v, want %v", got, want)
	}
	if one.File() != filepath.Join(dir, ".env") {
		t.Errorf("File = %s", one.File())
	}
}
