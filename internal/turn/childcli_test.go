package turn

import (
	"testing"

	"mindroom/internal/mode"
)

// A standard subagent does not answer the conversation itself, and has no
// mindroom-agent in its shell where its caller has it.
func TestStandardSubagentHasNoCLI(t *testing.T) {
	t.Parallel()
	b := newMinimalOf(t, bashers, mode.Standard, nil)
	b.model.plays(
		calls("run_shell_command", `{"args":"probe.echo {\"key\":\"a\"}"}`),
		calls("run_subagent", `{"task":"x","agent":"helper"}`), calls("run_shell_command", `{"args":"probe.echo {\"key\":\"b\"}"}`), says("None."), says("So."))
	b.ends(b.ask("$1", "please"), Answered)
	if got := b.result(1, 0); got != `completed "echo a"` {
		t.Errorf("the caller's command has %q", got)
	}
	if got := b.result(3, 0); got != "there is no mindroom-agent" {
		t.Errorf("the subagent's command has %q", got)
	}
}
