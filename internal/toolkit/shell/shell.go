package shell

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/tool"
)

// New makes the toolkit over a table of commands, which the caller closes at
// shutdown. environ is this process's environment, of which commands see the
// listed variables only.
func New(processes *Processes, environ []string) tool.Toolkit {
	t := &toolkit{processes: processes, environ: environ}
	return tool.Toolkit{
		Name:    "shell",
		Purpose: "Run commands in the workspace, in the foreground or the background.",
		Build: func(tool.Env) ([]tool.Function, error) {
			run := tool.Typed(tool.Spec{
				Name: "run_shell_command",
				Description: "Run a command in the workspace and return the last lines of its output, both channels in the order written.\n" +
					"A text runs in a fresh Bash login shell; a list runs as it is. A command that takes longer than timeout goes on in the background under a handle.",
				Class: tool.Outer,
			}, t.run)
			run.Schema = describeArgs(run.Schema)
			return []tool.Function{
				run,
				tool.Typed(tool.Spec{
					Name:        "check_shell_command",
					Description: "Tell how a background command stands, with its latest output; without a handle, list all of yours. Finished ones are kept for ten minutes.",
					Class:       tool.Shared,
				}, t.check),
				tool.Typed(tool.Spec{
					Name:        "kill_shell_command",
					Description: "End a background command and everything it started, gracefully or, with force, at once.",
					Class:       tool.Shared,
				}, t.kill),
			}, nil
		},
	}
}

type toolkit struct {
	processes *Processes
	environ   []string
}

func ownerOf(in tool.Invocation) owner {
	return owner{agent: in.Who.Agent, requester: in.Who.Requester}
}

type checkArgs struct {
	Handle string `json:"handle,omitempty" jsonschema:"The handle that run_shell_command returned, such as shell:1a2b3c4d; left out, all are listed."`
}

func (t *toolkit) check(ctx context.Context, in tool.Invocation, args checkArgs) (any, error) {
	if args.Handle == "" {
		return t.list(ctx, ownerOf(in))
	}
	r, fault := t.find(in, args.Handle)
	if fault != nil {
		return nil, fault
	}
	v, err := r.look(ctx)
	if err != nil {
		return nil, tool.Faultf(tool.FaultTool, "the command cannot be asked how it stands: %v", err)
	}
	return status(v), nil
}

// list tells of every command of the caller that is kept, newest first.
func (t *toolkit) list(ctx context.Context, o owner) (any, error) {
	lines := []string{}
	for _, r := range t.processes.of(o) {
		v, err := r.look(ctx)
		if err != nil {
			lines = append(lines, fmt.Sprintf("%s: it cannot be asked how it stands: %v", r.handle, err))
			continue
		}
		lines = append(lines, r.handle+": "+standing(v))
	}
	if len(lines) == 0 {
		return "No command of yours runs in the background, and none ended in the last ten minutes.", nil
	}
	return strings.Join(lines, "\n"), nil
}

type killArgs struct {
	Handle string `json:"handle" jsonschema:"The handle that run_shell_command returned, such as shell:1a2b3c4d."`
	Force  bool   `json:"force,omitempty" jsonschema:"End it at once instead of asking it to end first."`
}

func (t *toolkit) kill(ctx context.Context, in tool.Invocation, args killArgs) (any, error) {
	r, fault := t.find(in, args.Handle)
	if fault != nil {
		return nil, fault
	}
	if !r.isFinal() {
		// Once asked for, the end is awaited whatever becomes of this call.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endBudget)
		defer cancel()
		if err := r.finish(ctx, args.Force); err != nil {
			return nil, unproven(r.handle, err)
		}
	}
	v, err := r.look(ctx)
	if err != nil {
		return nil, tool.Faultf(tool.FaultTool, "the command cannot be asked how it ended: %v", err)
	}
	return status(v), nil
}

// find gives the caller's command. A handle of somebody else, an old one and
// one that never was are refused with the same words.
func (t *toolkit) find(in tool.Invocation, handle string) (*record, *tool.Fault) {
	if r := t.processes.find(ownerOf(in), handle); r != nil {
		return r, nil
	}
	if len(handle) > 64 {
		handle = handle[:64]
	}
	return nil, tool.Faultf(tool.FaultTool, "unknown handle %q; finished commands are kept for ten minutes", handle)
}

// unproven is the end of a call whose command may still run.
func unproven(handle string, err error) *tool.Fault {
	return tool.Faultf(tool.FaultIndeterminate,
		"the command was told to end, and it is not known whether anything of it still runs (%v). Look at it with check_shell_command(%q), and end it by force if it does.", err, handle)
}
