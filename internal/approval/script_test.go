package approval

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mindroom/internal/lifecycle"
	"mindroom/internal/secret"
	"mindroom/internal/tool"
)

// A script sees the function's bare name, the arguments with every digit, and the agent.
func TestWhatAScriptSees(t *testing.T) {
	t.Parallel()
	s := scripts(t)
	const body = `
def check(tool_name, arguments, agent_name):
    if (tool_name, agent_name) != ("send_email", "watcher"):
        fail("called as " + tool_name)
    return arguments == {"to": ["a", None, "é"], "n": 9007199254740993, "deep": {"x": 1.5}, "yes": True}
`
	for language, text := range map[string]string{"star": body, "py": "def fail(why): raise ValueError(why)\n" + body} {
		path := file(t, language, text)
		for arguments, want := range map[string]bool{
			`{"to":["a",null,"é"],"n":9007199254740993,"deep":{"x":1.5},"yes":true}`: true,
			`{"to":["a",null,"é"],"n":9007199254740992,"deep":{"x":1.5},"yes":true}`: false,
			`{}`: false,
		} {
			if got, err := s.Check(t.Context(), path, subject(t, arguments)); err != nil || got != want {
				t.Errorf("%s, %s: %v, %v", language, arguments, got, err)
			}
		}
	}
}

// Whatever is no answer is an error of its kind, with the line where it can be told.
func TestScriptsThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	s := scripts(t)
	const def = "def check(tool_name, arguments, agent_name):\n"
	for name, c := range map[string]struct {
		language, text string
		kind           ScriptKind
		line           int
		says           string
	}{
		"python: no function":        {"py", "x = 1\n", ScriptInvalid, 0, "no function check"},
		"python: syntax":             {"py", "x = 1\ndef check(:\n", ScriptInvalid, 2, "SyntaxError"},
		"python: fails as it loads":  {"py", "\n\nimport no_such_module\n", ScriptInvalid, 3, "no_such_module"},
		"python: leaves as it loads": {"py", "raise SystemExit(0)\n", ScriptInvalid, 1, "SystemExit"},
		"python: raises":             {"py", def + "    y = 1\n    return arguments['to']\n", ScriptRaised, 3, "KeyError: 'to'"},
		"python: leaves":             {"py", "import sys\n" + def + "    sys.exit(0)\n", ScriptRaised, 3, "SystemExit"},
		"python: other parameters":   {"py", "def check(one): return True\n", ScriptRaised, 0, "TypeError"},
		"python: answers one":        {"py", def + "    return 1\n", ScriptAnswer, 0, "int"},
		"python: answers nothing":    {"py", def + "    pass\n", ScriptAnswer, 0, "NoneType"},
		"python: ends its process":   {"py", "import os\n" + def + "    os._exit(0)\n", ScriptDied, 0, "ended"},
		"python: ends as it loads":   {"py", "import os\nos._exit(0)\n", ScriptDied, 0, "ended"},
		"python: not text":           {"py", "\x00\xff", ScriptInvalid, 0, ""},
		"starlark: no function":      {"star", "x = 1\n", ScriptInvalid, 0, "no function check"},
		"starlark: not a function":   {"star", "check = 1\n", ScriptInvalid, 0, "no function check"},
		"starlark: syntax":           {"star", "x = 1\ndef check(:\n", ScriptInvalid, 2, "got ':'"},
		"starlark: unknown name":     {"star", def + "    return later\n", ScriptInvalid, 2, "undefined: later"},
		"starlark: load":             {"star", "load('other.star', 'x')\n" + def + "    return x\n", ScriptInvalid, 1, "load"},
		"starlark: raises":           {"star", def + "    y = 1\n    return arguments['to']\n", ScriptRaised, 3, `key "to" not in dict`},
		"starlark: recursion":        {"star", def + "    return check(tool_name, arguments, agent_name)\n", ScriptRaised, 2, "recursively"},
		"starlark: remembers":        {"star", "seen = []\n" + def + "    seen.append(1)\n    return False\n", ScriptRaised, 3, "frozen"},
		"starlark: endless":          {"star", def + "    for x in range(1000000000):\n        pass\n    return False\n", ScriptRaised, 2, "too many steps"},
		"starlark: endless load":     {"star", "for x in range(1000000000):\n    pass\n" + def + "    return False\n", ScriptInvalid, 0, "too many steps"},
		"starlark: answers a word":   {"star", def + "    return 'yes'\n", ScriptAnswer, 0, "string"},
		"starlark: too much at once": {"star", def + "    return len('x' * 10000000000) > 0\n", ScriptRaised, 2, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := file(t, c.language, c.text)
			_, err := s.Check(t.Context(), path, subject(t, `{}`))
			var failed *ScriptError
			if !errors.As(err, &failed) || failed.Kind != c.kind || failed.Path != path || !strings.Contains(failed.Text, c.says) {
				t.Fatalf("%#v", err)
			}
			if c.line != 0 && failed.Line != c.line {
				t.Errorf("line %d, want %d: %v", failed.Line, c.line, err)
			}
			if public := failed.Public(); strings.Contains(public, filepath.Dir(path)) || failed.Text != "" && strings.Contains(public, failed.Text) {
				t.Errorf("a caller would see the operator's folders or the script's words: %s", public)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := scripts(t)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "long.py"), strings.Repeat("#", maxScript+1))
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe.py")).Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.star"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{"absent.py": "no such file", "long.py": "longer than", "pipe.py": "not a file", "folder.star": "not a file"} {
		_, err := s.Check(t.Context(), filepath.Join(dir, name), subject(t, `{}`))
		var failed *ScriptError
		if !errors.As(err, &failed) || failed.Kind != ScriptMissing || !strings.Contains(failed.Text, says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The verdict of a script that failed tells the caller which file and line, and the operator everything.
func TestVerdictOfAFailedScript(t *testing.T) {
	t.Parallel()
	path := file(t, "py", "def check(tool_name, arguments, agent_name):\n    raise ValueError('the boss is on leave')\n")
	snap := snapshot(t, "{default: auto_approve, rules: [{match: other, action: deny}, {match: 'do_*', script: "+path+"}]}")
	v := Rules{Scripts: scripts(t)}.Evaluate(t.Context(), question(snap, "do_it"))
	if v.Kind != tool.Deny || !strings.Contains(v.Reason, "check.py (line 2) failed") || strings.Contains(v.Reason, "boss") {
		t.Errorf("%+v", v)
	}
	for _, part := range []string{`rule 2 "do_*"`, path + ":2", "raised", "the boss is on leave", "config.yaml:"} {
		if !strings.Contains(v.Rule, part) {
			t.Errorf("the rule does not say %q: %s", part, v.Rule)
		}
	}
	if v := (Rules{}).Evaluate(t.Context(), question(snap, "do_it")); v.Kind != tool.Deny || !strings.Contains(v.Reason, "cannot be run here") {
		t.Errorf("without an evaluator: %+v", v)
	}
}

// What a script prints, on whichever channel and through whichever process, is no answer and breaks none.
func TestNoiseBreaksNothing(t *testing.T) {
	t.Parallel()
	s, log := scriptsLogged(t, patience)
	path := file(t, "py", `
import os, subprocess, sys
print("loading", flush=True)
os.write(1, b"\x00\x00\x00\x02{}")
def check(tool_name, arguments, agent_name):
    print("needs_approval", flush=True)
    os.write(1, b'\x00\x00\x00\x18{"needs_approval": false}')
    subprocess.run(["sh", "-c", "echo from a child; echo to stderr >&2; cat"], check=True)
    assert sys.stdin.read() == ""
    if arguments.get("fail"):
        raise ValueError("asked for")
    return True
`)
	for range 3 {
		if got, err := s.Check(t.Context(), path, subject(t, `{}`)); err != nil || !got {
			t.Fatalf("%v, %v", got, err)
		}
	}
	if _, err := s.Check(t.Context(), path, subject(t, `{"fail":true}`)); err == nil || !strings.Contains(err.Error(), "asked for") {
		t.Fatalf("%v", err)
	}
	for _, noise := range []string{"from a child", "to stderr"} {
		if !strings.Contains(log.String(), noise) {
			t.Errorf("the log of the failure does not show what the script printed: %s", log)
		}
	}
}

// A failure that quotes a secret is told without it, wherever the text is cut.
func TestFailuresQuoteNoSecret(t *testing.T) {
	t.Parallel()
	const hidden = "a-capability-of-some-run-0123456789abcdef"
	held := secret.New(hidden)
	defer held.Forget()
	for language, raises := range map[string]string{"py": "raise ValueError(arguments['text'])", "star": "fail(arguments['text'])"} {
		s, log := scriptsLogged(t, patience)
		path := file(t, language, "def check(tool_name, arguments, agent_name):\n    print(arguments['text'])\n    "+raises+"\n")
		for _, before := range []int{0, maxQuoted - 60, maxQuoted - 30, maxQuoted - 10, maxNoise - 20} {
			text := strings.Repeat("x", before) + hidden + strings.Repeat("y", maxNoise-20)
			_, err := s.Check(t.Context(), path, subject(t, `{"text":"`+text+`"}`))
			if err == nil {
				t.Fatal("it did not fail")
			}
			for what, said := range map[string]string{"the error": err.Error(), "the log": log.String()} {
				if strings.Contains(said, hidden[:8]) || strings.Contains(said, hidden[len(hidden)-8:]) {
					t.Errorf("%s, cut after %d: %s holds a piece: %s", language, before, what, said)
				}
			}
		}
	}
}

// An async check is waited for.
func TestAsyncCheck(t *testing.T) {
	t.Parallel()
	path := file(t, "py", "import asyncio\nasync def check(tool_name, arguments, agent_name):\n    await asyncio.sleep(0)\n    return True\n")
	if got, err := scripts(t).Check(t.Context(), path, subject(t, `{}`)); err != nil || !got {
		t.Errorf("%v, %v", got, err)
	}
}

// A script's process sees nothing of the runtime's secrets, and stands in a folder that is nobody's.
func TestAScriptsEnvironment(t *testing.T) {
	t.Parallel()
	path := file(t, "py", `
import os, sys
def check(tool_name, arguments, agent_name):
    assert "OPENAI_API_KEY" not in os.environ, "a provider key"
    assert "PATH" in os.environ
    assert os.getcwd() == "/", os.getcwd()
    assert sys.flags.isolated
    return True
`)
	if _, err := scripts(t).Check(t.Context(), path, subject(t, `{}`)); err != nil {
		t.Error(err)
	}
}

// An edit counts at the next check, back and forth, with one process warm in between.
func TestEditsTakeEffect(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"py", "star"} {
		s := scripts(t)
		path := file(t, language, "")
		for i, answer := range []string{"True", "False", "True"} {
			write(t, path, "def check(tool_name, arguments, agent_name):\n    return "+answer+"\n")
			if got, err := s.Check(t.Context(), path, subject(t, `{}`)); err != nil || got != (answer == "True") {
				t.Errorf("%s, edit %d: %v, %v", language, i, got, err)
			}
		}
	}
}

// A module is loaded once and asked often.
func TestTheProcessStaysWarm(t *testing.T) {
	t.Parallel()
	s := scripts(t)
	path := file(t, "py", "count = 0\ndef check(tool_name, arguments, agent_name):\n    global count\n    count += 1\n    return count == arguments['expect']\n")
	for i := range 5 {
		if got, err := s.Check(t.Context(), path, subject(t, `{"expect":`+string(rune('1'+i))+`}`)); err != nil || !got {
			t.Fatalf("question %d met another process: %v, %v", i, got, err)
		}
	}
}

// A process that died while nothing was asked is replaced without anybody noticing.
func TestADeadProcessIsReplaced(t *testing.T) {
	t.Parallel()
	s := scripts(t)
	path := file(t, "py", `
import os, threading, time
def die(at):
    while not os.path.exists(at):
        time.sleep(0.005)
    os._exit(1)
def check(tool_name, arguments, agent_name):
    if arguments.get("die"):
        threading.Thread(target=die, args=(arguments["die"],)).start()
    return True
`)
	now := filepath.Join(t.TempDir(), "now")
	if _, err := s.Check(t.Context(), path, subject(t, `{"die":"`+now+`"}`)); err != nil {
		t.Fatal(err)
	}
	write(t, now, "")
	set := s.python.sets[path]
	until(t, "the process has died", func() bool {
		set.mu.Lock()
		defer set.mu.Unlock()
		return len(set.warm) == 0
	})
	if got, err := s.Check(t.Context(), path, subject(t, `{}`)); err != nil || !got {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNoPython(t *testing.T) {
	t.Parallel()
	group := lifecycle.New(t.Context())
	defer func() { _ = group.Wait() }()
	path := file(t, "py", "def check(tool_name, arguments, agent_name): return True\n")
	for name, python := range map[string]func() (string, error){
		"none": nil, "not found": func() (string, error) { return "", errors.New("no Python interpreter") },
		"not a program": func() (string, error) { return "/nowhere/python3", nil },
	} {
		s := NewScripts(ScriptParts{Python: python, Run: group})
		for range processesOfOne + 1 { // a place that is not given back would be missing in the end
			_, err := s.Check(t.Context(), path, subject(t, `{}`))
			var failed *ScriptError
			if !errors.As(err, &failed) || failed.Kind != ScriptUnavailable {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// Checks run side by side without meeting each other's answers.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := scripts(t)
	const text = "def check(tool_name, arguments, agent_name):\n    return arguments['n'] % 2 == 0\n"
	for _, language := range []string{"py", "star"} {
		path := file(t, language, text)
		var all sync.WaitGroup
		for i := range 40 {
			all.Go(func() {
				arguments := subject(t, `{"n":`+string(rune('0'+i%10))+`}`)
				if got, err := s.Check(t.Context(), path, arguments); err != nil || got != (i%2 == 0) {
					t.Errorf("%s, %d: %v, %v", language, i, got, err)
				}
			})
		}
		all.Wait()
	}
}
