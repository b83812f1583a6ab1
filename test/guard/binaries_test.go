package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// small are the programs that start once a script or once a call. They link
// the standard library, the packages of this module that they need, and the kernel's
// calls where allowed.
var small = []struct {
	name string
	max  int64 // bytes, stripped
	// own are the trees of this module that it may link; sys allows golang.org/x/sys.
	own []string
	sys bool
}{
	{"mindroom-supervise", 4 << 20, []string{"internal/supervise", "internal/lifecycle"}, true},
	{"mindroom-agent", 6_500_000, []string{"internal/agentcli", "internal/canonical"}, false},
}

// TestSmallBinariesStaySmall builds each and weighs it.
func TestSmallBinariesStaySmall(t *testing.T) {
	t.Parallel()
	for _, s := range small {
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
				switch path := short(dep.ImportPath); {
				case dep.Standard, path == "cmd/"+s.name, s.sys && strings.HasPrefix(path, "golang.org/x/sys/"):
				case !slices.ContainsFunc(s.own, func(tree string) bool { return within(tree, path) != "" }):
					t.Errorf("it links %s; beside the standard library it may have %v only", dep.ImportPath, s.own)
				}
			}
		})
	}
}
