package shell

import (
	"strings"
	"testing"

	"mindroom/internal/tool"
)

// An agent whose one tool is Bash can always run a command, however much it left in
// the background: the commands that end it are run in Bash (M39).
func TestBackgroundCommandsNeverLockBashOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	b.minimal = true
	program, alive := nap(t)
	leave := args{"args": program + " 1000 >/dev/null 2>&1 & echo left"}
	var handle string
	for range MaxRunning {
		text := b.ran(leave)
		if !strings.Contains(text, "end what is left with mindroom-agent tools call shell.kill_shell_command.") {
			t.Errorf("it is told %q", text)
		}
		handle = b.handle(text)
	}
	if text := b.ran(args{"args": "echo still here"}); text != "still here" {
		t.Errorf("Bash says %q", text)
	}
	m := b.fails(tool.FaultTool, "run_shell_command", leave)
	if !strings.Contains(m, "16 commands of yours run in the background already") || !strings.Contains(m, "left") {
		t.Errorf("fault = %q", m)
	}
	if n := alive(); n != MaxRunning {
		t.Errorf("%d processes run", n)
	}
	b.text("kill_shell_command", args{"handle": handle, "force": true})
	b.handle(b.ran(leave))
	// Where the agent has other tools to end them with, they count.
	b.minimal = false
	b.fails(tool.FaultTool, "run_shell_command", args{"args": "true"})
}

// A list that was sent as a text is not run: Bash would take it for a pattern.
func TestAListAsText(t *testing.T) {
	t.Parallel()
	b := newBench(t, Supervised{})
	for _, text := range []string{`["ls","-a"]`, ` ["true"]`, `[]`} {
		if m := b.fails(tool.FaultArguments, "run_shell_command", args{"args": text}); !strings.Contains(m, "a list as a list") {
			t.Errorf("%s: %q", text, m)
		}
	}
	if text := b.ran(args{"args": `[ 1 = 1 ] && echo ["a"]`}); text != "[a]" {
		t.Errorf("a test of Bash: %q", text)
	}
}
