package scripted

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/model"
)

func TestFaultsNameTheLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, rules string
		line        int
		want        string
	}{
		{"empty", "", 0, "holds no rules"},
		{"not yaml", "rules: [", 0, "yaml"},
		{"two documents", "rules: [{say: a}]\n---\nrules: [{say: b}]\n", 0, "more than one document"},
		{"not a mapping", "- a\n", 1, "must be a mapping"},
		{"no rules", "version: 1\n", 1, "`rules` must be a list"},
		{"version", "version: 2\nrules: [{say: a}]\n", 1, "reads version 1"},
		{"unknown key", "rules:\n  - say: a\n    sya: b\n", 3, `"sya"`},
		{"unknown condition", "rules:\n  - say: a\n    when:\n      usr: b\n", 4, "known are agent"},
		{"twice", "rules:\n  - say: a\n    say: b\n", 3, "twice"},
		{"does nothing", "rules:\n  - when: {user: a}\n", 2, "needs `say`"},
		{"bad regexp", "rules:\n  - say: a\n    when:\n      user: '('\n", 4, "missing closing )"},
		{"no such group", "rules:\n  - when: {user: '(a)'}\n    say: '${2}'\n", 3, "has 1 groups"},
		{"no such name", "rules:\n  - when: {user: '(a)'}\n    say: 'in ${HOME}'\n", 3, "$${"},
		{"result without result", "rules:\n  - say: '${result}'\n", 2, "needs a rule with `result`"},
		{"no such result group", "rules:\n  - when: {result: {}}\n    say: '${result.1}'\n", 3, "has 0 groups"},
		{"bad pointer", "rules:\n  - when: {result: {}}\n    say: '${result:a}'\n", 3, "begins with /"},
		{"open place", "rules:\n  - say: '${user'\n", 2, "closing brace"},
		{"odd place", "rules:\n  - say: '${a b}'\n", 2, "not understood"},
		{"call without tool", "rules:\n  - call:\n      - args: {}\n", 3, "needs `tool`"},
		{"args and raw", "rules:\n  - call:\n      - {tool: a, args: {}, raw: b}\n", 3, "not both"},
		{"no calls", "rules:\n  - call: []\n", 2, "at least one call"},
		{"args no mapping", "rules:\n  - call:\n      - tool: a\n        args: [1]\n", 4, "must be a mapping"},
		{"alias", "rules:\n  - call:\n      - tool: a\n        args: {x: &y 1, z: *y}\n", 4, "anchors"},
		{"alias in a list", "rules:\n  - call:\n      - tool: a\n        args: {x: [*y]}\n", 0, "unknown anchor"},
		{"missing file", "rules:\n  - call:\n      - tool: a\n        args:\n          s: {file: gone.py}\n", 5, "gone.py"},
		{"binary file", "rules:\n  - call:\n      - tool: a\n        args:\n          s: {file: binary}\n", 5, "not UTF-8"},
		{"empty replacement", "rules:\n  - call:\n      - tool: a\n        args:\n          s: {file: rules.yaml, replace: {'': x}}\n", 5, "is empty"},
		{"not a number", "rules:\n  - {say: a, when: {turn: soon}}\n", 2, "a number of at least 0"},
		{"not a truth", "rules:\n  - {say: a, when: {result: {failed: maybe}}}\n", 2, "true or false"},
		{"unknown failure", "rules:\n  - fail: badly\n", 2, "choose one of auth"},
		{"fails and says", "rules:\n  - fail: auth\n    say: a\n", 2, "says, calls and stops nothing"},
		{"unknown stop", "rules:\n  - {say: a, stop: soon}\n", 2, "max_tokens"},
		{"not a number of JSON", "rules:\n  - call:\n      - {tool: a, args: {x: .nan}}\n", 3, "no form in JSON"},
		{"too deep", "rules:\n  - call:\n      - {tool: a, args: {x: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}}\n", 3, "deeper than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "rules.yaml", c.rules)
			write(t, dir, "binary", "\xff\xfe")
			_, err := New(model.Settings{Dir: dir, ExtraKwargs: map[string]any{"rules": "rules.yaml"}})
			var fault *FileError
			if !errors.As(err, &fault) {
				t.Fatalf("error is %v, want a *FileError", err)
			}
			if fault.Line != c.line || fault.File != "rules.yaml" || !strings.Contains(fault.Text, c.want) {
				t.Errorf("error is %v (line %d), want line %d and %q", err, fault.Line, c.line, c.want)
			}
		})
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestMissingRulesFileIsAnError(t *testing.T) {
	t.Parallel()
	_, err := New(model.Settings{Dir: t.TempDir(), ExtraKwargs: map[string]any{"rules": "none.yaml"}})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want that the file does not exist", err)
	}
	if _, err := New(model.Settings{ExtraKwargs: map[string]any{"rule": "x"}}); err == nil {
		t.Error("an unknown key of extra_kwargs was taken")
	}
}

// The loader never panics, and what it takes can be played.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"testdata/two_tools.yaml", "echo.yaml"} {
		seed, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(seed))
	}
	f.Add("rules:\n  - {say: '$${a} ${0}', when: {turn: 1}}\n")
	f.Fuzz(func(t *testing.T, rules string) {
		l := loader{file: "fuzz", include: func(path string) (string, error) {
			if strings.Contains(path, "x") {
				return "", fmt.Errorf("no %s", path)
			}
			return path, nil
		}}
		b, err := l.load([]byte(rules))
		if err != nil {
			var fault *FileError
			if !errors.As(err, &fault) {
				t.Fatalf("error %v is no *FileError", err)
			}
			return
		}
		for _, messages := range [][]model.Message{
			{model.UserText("watch https://a.example")},
			{model.UserText("a"), model.ToolResults(model.Result{Name: "get", Text: `{"a":[1,{"b":null}]}`})},
		} {
			resp, fail := b.answer(look(model.Request{Messages: messages}))
			if fail == "" && len(resp.Message.Parts) == 0 && resp.Stop == "" {
				t.Fatalf("no answer at all from %q", rules)
			}
			if _, err := resp.Message.MarshalJSON(); err != nil {
				t.Fatalf("the answer cannot be stored: %v", err)
			}
		}
	})
}

func FuzzPointer(f *testing.F) {
	f.Add(`{"a":[1,{"b~/":2}]}`, "/a/1/b~0~1")
	f.Fuzz(func(t *testing.T, document, pointer string) {
		if pointer != "" && pointer[0] != '/' {
			return
		}
		if raw, ok := pointed([]byte(document), pointer); ok && len(raw) == 0 {
			t.Fatalf("%q in %q is nothing", pointer, document)
		}
	})
}
