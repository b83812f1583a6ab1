package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small are the programs that start once a script or once a call. They link
// the standard library, what they need of this module, and the kernel's calls.
var small = []struct {
	name string
	max  int64 // bytes, stripped
}{
	{"mindroom-supervise", 4 << 20},
	{"mindroom-agent", 8 << 20},
}

// TestSmallBinariesStaySmall builds each and weighs it.
func TestSmallBinariesStaySmall(t *testing.T) {
	t.Parallel()
	for _, s := range small {
		if _, err := os.Stat(filepath.Join(root(t), "cmd", s.name)); err != nil {
			continue // it does not exist yet
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), s.name)
			if _, err := command(t.Context(), root(t), "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/"+s.name); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() >= s.max {
				t.Errorf("it has %d bytes, and %d are too many", info.Size(), s.max)
			}
			for _, dep := range list(t, "-deps", "./cmd/"+s.name) {
				if !dep.Standard && !ours(dep.ImportPath) && !strings.HasPrefix(dep.ImportPath, "golang.org/x/sys/") {
					t.Errorf("it links %s; it may have the standard library and golang.org/x/sys only", dep.ImportPath)
				}
			}
		})
	}
}
