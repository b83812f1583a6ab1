package pythonsdk

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

type interpreter struct {
	path         string
	major, minor int
}

var pythonName = regexp.MustCompile(`^python3(\.\d+)?$`)

// interpreters finds every Python 3 on the PATH and in pyenv, each once. Launchers that lead nowhere are passed over.
func interpreters(t *testing.T) []interpreter {
	t.Helper()
	var candidates []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, _ := os.ReadDir(dir) // a PATH may name folders that do not exist
		for _, entry := range entries {
			if pythonName.MatchString(entry.Name()) {
				candidates = append(candidates, filepath.Join(dir, entry.Name()))
			}
		}
	}
	pyenv := os.Getenv("PYENV_ROOT")
	if home, err := os.UserHomeDir(); pyenv == "" && err == nil {
		pyenv = filepath.Join(home, ".pyenv")
	}
	installed, err := filepath.Glob(filepath.Join(pyenv, "versions", "*", "bin", "python3"))
	if err != nil {
		t.Fatal(err)
	}
	var found []interpreter
	seen := map[string]bool{}
	for _, candidate := range append(candidates, installed...) {
		out, err := exec.Command(candidate, "-I", "-c", "import os, sys; print(*sys.version_info[:2], os.path.realpath(sys.executable))").Output()
		if err != nil {
			continue
		}
		var i interpreter
		if _, err := fmt.Sscan(string(out), &i.major, &i.minor, &i.path); err != nil {
			t.Fatalf("%s answers %q: %v", candidate, out, err)
		}
		if !seen[i.path] {
			seen[i.path] = true
			found = append(found, i)
		}
	}
	return found
}

func (i interpreter) supported() bool { return i.major == 3 && i.minor >= 9 }

func TestSDKOnEveryPython(t *testing.T) {
	t.Parallel()
	supported := 0
	for _, python := range interpreters(t) {
		if python.supported() {
			supported++
		}
		t.Run(python.path, func(t *testing.T) {
			t.Parallel()
			if !python.supported() {
				refuses(t, python)
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, python.path, "-W", "error", "-B", "-m", "unittest", "-q")
			output, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if !strings.Contains(string(output), "Ran ") || strings.Contains(string(output), "Ran 0 tests") {
				t.Fatalf("no tests were run:\n%s", output)
			}
		})
	}
	if supported == 0 {
		t.Fatal("no Python 3.9 or newer was found on the PATH or in pyenv; install one to test the SDK")
	}
}

// refuses holds that an interpreter too old for the SDK says so, instead of stopping at syntax it does not know.
func refuses(t *testing.T, python interpreter) {
	t.Helper()
	output, err := exec.Command(python.path, "-B", "-c", "import mindroom.script_sdk").CombinedOutput()
	if err == nil || !strings.Contains(string(output), "needs Python 3.9 or newer, and this is Python "+fmt.Sprintf("%d.%d", python.major, python.minor)) {
		t.Errorf("%v\n%s", err, output)
	}
}
