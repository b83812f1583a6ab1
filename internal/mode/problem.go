package mode

import "strings"

// Kind says what is missing.
type Kind string

// The kinds, in the order in which they are told.
const (
	NoShell     Kind = "no_shell"     // the agent's tools do not have shell
	ShellFaulty Kind = "shell_faulty" // shell is there, and its settings do not load
	ShellHidden Kind = "shell_hidden" // include_tools or exclude_tools keep run_shell_command back
	NoWorkspace Kind = "no_workspace" // neither memory_backend: file nor private
	NoAPI       Kind = "no_api"       // started with --no-api
	NoCLI       Kind = "no_cli"       // mindroom-agent cannot be put on the shell's PATH
)

// Problem is one thing that is missing.
type Problem struct {
	Kind Kind
	// Text is one sentence of Markdown: what is missing and what mends it. It holds no
	// value of a setting and no path of the machine.
	Text string
	// Env: it is mended where MindRoom is started (its .env file and its command), not
	// in config.yaml, and is in force after a restart.
	Env bool
	// Err is the fault underneath, for the operator alone (the log, doctor); it may
	// quote settings. nil where Text says everything.
	Err error
}

// Bullets lists problems as Markdown, one line each; empty for none.
func Bullets(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString("- " + p.Text + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
