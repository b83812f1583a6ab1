package rig

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// Python is the interpreter itself that python3 leads to: a launcher before it
// (as version managers put one) would be measured with every start.
func Python(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "python3", "-I", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return "", fmt.Errorf("no Python interpreter answers to python3: install Python 3.9 or newer: %w", err)
	}
	path := strings.TrimSpace(string(out))
	if path == "" {
		return "", fmt.Errorf("python3 does not know its own path; put another Python first on the PATH")
	}
	return path, nil
}
