package pythonsdk

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Interpreter is the interpreter itself that a command name leads to. What answers
// to "python3" may be a launcher that picks a version first, which costs each
// script its start; a virtual environment's interpreter stays itself.
func Interpreter(ctx context.Context, name string) (string, error) {
	found, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("no Python interpreter %q: install Python 3.9 or newer, or name one with MINDROOM_PYTHON: %w", name, err)
	}
	out, err := exec.CommandContext(ctx, found, "-I", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "", fmt.Errorf("%s does not start: install Python 3.9 or newer, or name another with MINDROOM_PYTHON: %w", found, err)
	}
	path := strings.TrimSpace(string(out))
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s does not know its own path; name another interpreter with MINDROOM_PYTHON", found)
	}
	return path, nil
}
