package approval

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Files that could not be asked are told at their rule, with their own line, and a Python one is not run for it.
func TestValidate(t *testing.T) {
	t.Parallel()
	python := func() (string, error) { return exec.LookPath("python3") }
	ran := filepath.Join(t.TempDir(), "ran")
	for name, c := range map[string]struct{ language, text, want string }{
		"python":                 {"py", "open(" + fmt.Sprintf("%q", ran) + ", 'w')\ndef check(a, b, c): return True\n", ""},
		"python: async":          {"py", "async def check(a, b, c): return True\n", ""},
		"python: conditional":    {"py", "try:\n    from x import check\nexcept ImportError:\n    check = lambda a, b, c: True\n", ""},
		"python: syntax":         {"py", "x = 1\n\ndef check(:\n", "py:3: SyntaxError"},
		"python: no function":    {"py", "class A:\n    def check(self): pass\n", "no function check"},
		"python: null byte":      {"py", "\x00", "null byte"},
		"starlark":               {"star", "def check(a, b, c): return True\n", ""},
		"starlark: syntax":       {"star", "x = 1\n\ndef check(:\n", "star:3: "},
		"starlark: unknown name": {"star", "def check(a, b, c):\n    return x\n", "star:2: undefined: x"},
		"starlark: no function":  {"star", "", "no function check"},
	} {
		snap := snapshot(t, "{rules: [{match: a, action: deny}, {match: b, script: "+file(t, c.language, c.text)+"}]}")
		faults, unsure := Validate(t.Context(), snap.Config.Approval, python)
		if len(unsure) > 0 || (len(faults) == 0) != (c.want == "") {
			t.Errorf("%s: %v, %v", name, faults, unsure)
			continue
		}
		if c.want != "" && (!strings.Contains(faults[0].Message, c.want) || faults[0].Path != "tool_approval.rules[1].script" || faults[0].Pos.Line == 0) {
			t.Errorf("%s: %v", name, faults)
		}
	}
	if _, err := readScript(ran); err == nil {
		t.Error("a Python file was run to be checked")
	}
}

func TestValidateWithoutFileOrPython(t *testing.T) {
	t.Parallel()
	none := func() (string, error) { return "", errors.New("no Python interpreter") }
	path := file(t, "py", "def check(a, b, c): return True\n")
	snap := snapshot(t, "{rules: [{match: a, script: /nowhere/a.py}, {match: b, script: "+path+"}, {match: c, script: "+path+"}]}")
	faults, unsure := Validate(t.Context(), snap.Config.Approval, none)
	if len(faults) != 1 || !strings.Contains(faults[0].Message, "no such file") {
		t.Errorf("%v", faults)
	}
	if len(unsure) != 1 || !strings.Contains(unsure[0].Message, "no Python interpreter") {
		t.Errorf("a file that two rules name: %v", unsure)
	}
}
