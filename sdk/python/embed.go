package pythonsdk

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// The glob matters: naming the folder would leave out __init__.py and every other file that begins with an underscore.
//
//go:embed mindroom/*.py mindroom/py.typed
var files embed.FS

// Shim is where the program to start lies below a folder that Lay filled: python -I -u <folder>/mindroom/_shim.py SOURCE
// TOKEN. The folder must be given as an absolute path.
const Shim = "mindroom/_shim.py"

// Files gives the Python package as a read-only tree whose root holds the folder "mindroom".
func Files() fs.FS { return files }

// Lay writes the Python package below dir, which is made when missing. It refuses to write over an existing file
// (fs.ErrExist), because a run's copy is never changed under a running script.
func Lay(dir string) error {
	if err := os.CopyFS(dir, files); err != nil {
		return fmt.Errorf("lay out the script SDK in %s: %w", dir, err)
	}
	return nil
}

// Precompile has the interpreter python compile the package that Lay wrote below dir. The compiled files are marked as not
// to be checked against their sources, so they stay valid wherever the folder is copied; another version of Python ignores
// them and reads the sources. An error leaves dir usable, only slower.
func Precompile(ctx context.Context, python, dir string) error {
	cmd := exec.CommandContext(ctx, python, "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", filepath.Join(dir, "mindroom"))
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compile the script SDK in %s with %s: %w: %.500s", dir, python, err, output)
	}
	return nil
}
