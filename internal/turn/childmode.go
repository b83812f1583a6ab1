package turn

import (
	"strings"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/mode"
	"mindroom/internal/tool"
)

// withoutMinimal is what to do where a minimal subagent is not possible (M13).
const withoutMinimal = "Start a new subagent without minimal."

// CanBeMinimal reports whether an agent may be offered as a minimal subagent: it has
// a shell, the deployment allows it, and no rule can have a person asked about its
// commands (M11).
func (e *Engine) CanBeMinimal(snap *config.Snapshot, agent string) bool {
	return e.CLI != nil && mode.Offered(snap, agent, e.deployment()) && !e.Room.Policy.Might(snap, &tool.Function{Name: shellTool})
}

// fits reports, as a fault of the call, why a subagent cannot be minimal: nothing of
// it was started (M13).
func (e *Engine) fits(snap *config.Snapshot, surface *tool.Surface, s subagent) error {
	why := ""
	switch problems := mode.Requirements(snap, surface, e.deployment()); {
	case e.CLI == nil:
		why = "mindroom-agent is not available here."
	case len(problems) > 0:
		why = strings.TrimSpace(mode.Bullets(problems))
	case e.Room.Policy.Might(snap, surface.Lookup(shellTool)):
		why = "Its shell commands may need a person's approval, for which a minimal subagent cannot wait."
	case !(&child{sub: s}).granted(shellTool):
		why = "Its tools must include shell or shell.run_shell_command."
	default:
		return nil
	}
	return tool.Faultf(tool.FaultTool, "agent %s cannot be a minimal subagent: %s\n%s", s.agent, why, withoutMinimal)
}

// unhurried gives a command of a background job the longest time there is where it
// says none: nobody waits for it (M21).
func unhurried(args canonical.Doc) (canonical.Doc, *tool.Fault) {
	var given map[string]any
	if err := args.Decode(&given); err != nil {
		return args, tool.Faultf(tool.FaultArguments, "the arguments of bash cannot be read: %v", err)
	}
	if given["timeout"] == nil {
		given["timeout"] = maxBashTimeout
	}
	out, err := canonical.FromValue(given)
	if err != nil {
		return args, tool.Faultf(tool.FaultArguments, "the arguments of bash cannot be read: %v", err)
	}
	return out, nil
}
