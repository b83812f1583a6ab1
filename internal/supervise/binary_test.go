//go:build linux

package supervise_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The supervisor is paid for once a process tree: it stays small and links nothing but the standard library, x/sys, its own parts and the names of its steps.
func TestBinaryIsSmall(t *testing.T) {
	t.Parallel()
	path := os.Getenv("MINDROOM_SUPERVISE")
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if fi.Size() > 3<<20 {
		t.Errorf("%s has %d bytes, more than 3 MiB", path, fi.Size())
	}
	out, err := exec.Command("go", "list", "-deps", "mindroom/cmd/mindroom-supervise").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range strings.Fields(string(out)) {
		first, _, _ := strings.Cut(pkg, "/")
		switch {
		case strings.HasPrefix(pkg, "mindroom/internal/supervise/"), pkg == "mindroom/cmd/mindroom-supervise", pkg == "mindroom/internal/lifecycle/step", strings.HasPrefix(pkg, "golang.org/x/sys/"):
		case strings.Contains(first, "."), first == "mindroom", pkg == "net", pkg == "net/http", pkg == "crypto/rand":
			t.Errorf("links %s", pkg)
		}
	}
}
