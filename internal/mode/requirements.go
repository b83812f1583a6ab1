package mode

import (
	"errors"
	"fmt"
	"slices"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// shell is the function that Bash of minimal mode runs.
var shell = tool.Name{Toolkit: "shell", Function: "run_shell_command"}

// Deployment is what all agents of an installation share.
type Deployment struct {
	// API: the API listener is there; false with --no-api.
	API bool
	// EnvFile is the path of the .env file beside the configuration, for people; empty
	// where none is read.
	EnvFile string
	// AgentCLI is why mindroom-agent cannot be put on the PATH of a shell in the
	// primary; nil when it can.
	AgentCLI error
}

// Requirements is everything that surface's agent and the deployment lack for
// minimal mode, in the order of spec/agentcli.md 6; nil when nothing is (M07, M29).
// Nothing beyond it is asked of a shell that runs in the primary (M30). surface is
// the agent's surface under snap; an agent that snap does not have lacks the shell.
func Requirements(snap *config.Snapshot, surface *tool.Surface, d Deployment) []Problem {
	all := shellProblems(snap, surface)
	if a := snap.Config.Agents[surface.Agent]; a != nil && !a.HasWorkspace() {
		all = append(all, Problem{Kind: NoWorkspace, Text: fmt.Sprintf("It has no workspace: set `memory_backend: file` in `agents.%s`.", a.Name)})
	}
	return append(all, d.reach()...)
}

// CLI is what is missing for mindroom-agent inside the shell commands of a
// standard-mode agent; nil when nothing is (M15, M29). It needs no workspace.
func CLI(snap *config.Snapshot, surface *tool.Surface, d Deployment) []Problem {
	return append(shellProblems(snap, surface), d.reach()...)
}

// Offered reports whether an agent may be offered as a minimal subagent: it has a
// shell of its own and the deployment lacks nothing (M11). What else rules it out is
// told when it is chosen.
func Offered(snap *config.Snapshot, agent string, d Deployment) bool {
	return authored(snap, agent) && len(d.reach()) == 0
}

func authored(snap *config.Snapshot, agent string) bool {
	return slices.ContainsFunc(snap.Config.EffectiveTools(agent), func(e config.ToolEntry) bool {
		return e.Name == shell.Toolkit && e.Origin != config.OriginImplied
	})
}

// shellProblems is at most one: each hides the next.
func shellProblems(snap *config.Snapshot, surface *tool.Surface) []Problem {
	at := "`agents." + surface.Agent + ".tools`"
	if !authored(snap, surface.Agent) {
		return []Problem{{Kind: NoShell, Text: "It has no shell: add `shell` to " + at + "."}}
	}
	for _, err := range surface.Problems {
		var fault *tool.BuildError
		if errors.As(err, &fault) && fault.Toolkit == shell.Toolkit {
			return []Problem{{Kind: ShellFaulty, Err: err,
				Text: "The settings of its `shell` tool do not load: correct them in " + at + " or `defaults.tools`; `mindroom doctor` says what is wrong."}}
		}
	}
	if surface.Lookup(shell) == nil {
		return []Problem{{Kind: ShellHidden,
			Text: "Its `shell` tool does not offer `run_shell_command`: list it in `include_tools`, or take it out of `exclude_tools`, in " + at + " or `defaults.tools`."}}
	}
	return nil
}

// reach is what keeps a shell from MindRoom. Without an API nothing else matters.
func (d Deployment) reach() []Problem {
	switch {
	case !d.API:
		return []Problem{{Kind: NoAPI, Env: true, Text: "MindRoom runs without its API: start `mindroom run` without `--no-api`."}}
	case d.AgentCLI != nil:
		return []Problem{{Kind: NoCLI, Env: true, Err: d.AgentCLI,
			Text: "The program `mindroom-agent` cannot be used: put it beside `mindroom`, from the same release; `mindroom doctor` says what is wrong."}}
	}
	return nil
}
