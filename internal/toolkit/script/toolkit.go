package script

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/excerpt"
	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/tool"
)

// Name is the toolkit's configuration key.
const Name = "script"

// Runs is what the toolkit drives; the run manager is one.
type Runs interface {
	Launch(ctx context.Context, req script.Request) (*script.Run, error)
	Get(ctx context.Context, owner script.Owner, id string) (*script.Run, string, script.Standing, error)
	List(ctx context.Context, owner script.Owner, includeFinished bool) ([]*script.Run, error)
	Cancel(ctx context.Context, owner script.Owner, id string, force bool) (*script.Run, error)
}

var _ Runs = (*script.Manager)(nil)

// New makes the toolkit over a manager. The manager may be bound after the
// registry was filled, so it is asked for with each call; nil means the runtime
// is not ready.
func New(runs func() Runs) tool.Toolkit {
	return tool.Toolkit{
		Name:    Name,
		Purpose: "Launch and supervise background Python scripts that can call this agent's tools",
		Fields:  fields,
		Build: func(env tool.Env) ([]tool.Function, error) {
			k := &kit{runs: runs, limits: limitsOf(env.Settings)}
			return k.functions(), nil
		},
	}
}

// fields are the four settings of spec/scripts.md 1.2 (S01–S05), and whom a run's
// end is told.
var fields = []config.Field{
	{Name: "allowed_tools", Kind: config.KindStrings,
		Doc: "Toolkits (not functions) that scripts may call, and whose unambiguous functions run without a person's approval. Empty: every eligible toolkit, none of it preapproved."},
	{Name: "max_concurrent_runs", Kind: config.KindInt, Default: int64(3), Min: config.Bound(1),
		Doc: "Scripts that one requester may have running with this agent at a time."},
	{Name: "max_tool_calls_per_minute", Kind: config.KindInt, Default: int64(30), Min: config.Bound(1),
		Doc: "New tool calls that one script may make within 60 seconds."},
	{Name: "max_runtime_hours", Kind: config.KindNumber, Default: 24.0, Check: positive,
		Doc: "Hours after which a script is ended; fractions are allowed."},
	{Name: "notify", Kind: config.KindStrings, Default: []string{string(script.Failed), string(script.Interrupted)}, Check: known,
		Doc: "What the conversation that started a script is told of it, as a notice that wakes nobody: any of " + strings.Join(script.Events, ", ") + "."},
}

func positive(v any) error {
	if h, ok := v.(float64); !ok || !(h > 0) || h > float64(math.MaxInt64/int64(time.Hour)) {
		return errors.New("must be a positive, finite number of hours")
	}
	return nil
}

func known(v any) error {
	events, _ := v.([]string)
	for _, event := range events {
		if !slices.Contains(script.Events, event) {
			return fmt.Errorf("%q is nothing that happens to a script; allowed: %s", excerpt.Head(event, 40), strings.Join(script.Events, ", "))
		}
	}
	return nil
}

type limits struct {
	notify     []string
	allowed    []string
	concurrent int
	rate       int
	runtime    time.Duration
}

func limitsOf(s config.Settings) limits {
	seconds := math.Max(1, math.Round(s.Number("max_runtime_hours")*3600))
	return limits{
		notify: s.Strings("notify"), allowed: s.Strings("allowed_tools"), concurrent: int(s.Int("max_concurrent_runs")),
		rate: int(s.Int("max_tool_calls_per_minute")), runtime: time.Duration(seconds) * time.Second,
	}
}

type kit struct {
	runs   func() Runs
	limits limits
}

// StartArguments are the parameters of start_script.
type StartArguments struct {
	Source  *string `json:"source,omitempty" jsonschema:"the complete Python source; give either source or path"`
	Path    *string `json:"path,omitempty" jsonschema:"a Python file of the workspace, relative to it; it is copied before the launch"`
	Name    *string `json:"name,omitempty" jsonschema:"a short label shown in status and lists, at most 120 characters"`
	Profile *string `json:"resource_profile,omitempty" jsonschema:"leave out for the default; see get_script_resource_profiles"`
}

// NoArguments are the parameters of a function that takes none.
type NoArguments struct{}

// RunArguments name one run.
type RunArguments struct {
	RunID string `json:"run_id" jsonschema:"the run's id, script- and 32 hexadecimal digits"`
}

// CancelArguments are the parameters of cancel_script.
type CancelArguments struct {
	RunID string `json:"run_id" jsonschema:"the run's id, script- and 32 hexadecimal digits"`
	Force *bool  `json:"force,omitempty" jsonschema:"skip the graceful signal; default false"`
}

// ListArguments are the parameters of list_scripts.
type ListArguments struct {
	IncludeFinished *bool `json:"include_finished,omitempty" jsonschema:"also list runs that have ended; default true"`
}

func (k *kit) functions() []tool.Function {
	return []tool.Function{
		tool.Typed(tool.Spec{Name: "start_script", Description: startDescription,
			Enums: map[string][]string{"resource_profile": {"small", "standard", "large"}}}, k.start),
		tool.Typed(tool.Spec{Name: "get_script_resource_profiles", Class: tool.Shared,
			Description: "Show the default resource profile and each profile's exact CPU and memory. Where the runtime enforces none, the answer has no profiles and start_script takes no resource_profile."}, k.profiles),
		tool.Typed(tool.Spec{Name: "get_script", Class: tool.Shared,
			Description: "Show one script run: its state, limits, calls, and the last part of what it printed."}, k.get),
		tool.Typed(tool.Spec{Name: "cancel_script",
			Description: "End a script run. Its permission to call tools ends first; then it is asked to stop and, after a short grace, killed. The answer says cancelled only once its processes are gone."}, k.cancel),
		tool.Typed(tool.Spec{Name: "list_scripts", Class: tool.Shared,
			Description: "List your script runs with this agent, newest first."}, k.list),
	}
}

const startDescription = `Start a Python program that goes on after this answer. Give exactly one of source and path (at most 128 KiB).
The program may call your tools:
    from mindroom.script_sdk import MindRoomTools
    tools = MindRoomTools()
    page = tools.call("website", "read_url", url="https://example.org/")
Use it for watchers: poll with time.sleep, remember the last value before you act on a change, and call matrix_message with recipient=<your own agent name> to be woken, once per change. A failed call raises MindRoomToolCallError (kind, retryable, call_id); never repeat a call of kind "indeterminate". Print with flush=True; get_script shows the output. The program is trusted code with the authority of python or shell where it runs.`

func (k *kit) start(ctx context.Context, in tool.Invocation, args StartArguments) (any, error) {
	return k.with("run", func(runs Runs) (map[string]any, error) {
		src, err := source(in.Workspace, args)
		if err != nil {
			return nil, err
		}
		run, err := runs.Launch(ctx, script.Request{
			Who: in.Who, Depth: in.Depth, LaunchedBy: in.Ref, Source: src, Name: text(args.Name), Profile: text(args.Profile),
			Allowed: k.limits.allowed, MaxConcurrent: k.limits.concurrent,
			MaxCallsPerMinute: k.limits.rate, MaxRuntime: k.limits.runtime, Notify: k.limits.notify,
		})
		if err != nil {
			return nil, err
		}
		return map[string]any{"run": run.View(false)}, nil
	})
}

// source takes the program from the arguments; an empty string counts as given.
func source(workspace string, args StartArguments) (script.Source, error) {
	switch {
	case (args.Source == nil) == (args.Path == nil):
		return script.Source{}, &script.Error{Kind: script.KindSource, Message: "give exactly one of source and path"}
	case args.Source != nil:
		return script.InlineSource(*args.Source)
	case workspace == "":
		return script.Source{}, &script.Error{Kind: script.KindSource, Message: "this agent has no workspace, so path cannot be used; give source"}
	default:
		return script.FileSource(workspace, *args.Path)
	}
}

func (k *kit) profiles(context.Context, tool.Invocation, NoArguments) (any, error) {
	return k.with("resource_profiles", func(Runs) (map[string]any, error) {
		return map[string]any{"default_profile": nil, "profiles": map[string]any{}}, nil
	})
}

func (k *kit) get(ctx context.Context, in tool.Invocation, args RunArguments) (any, error) {
	return k.with("status", func(runs Runs) (map[string]any, error) {
		run, output, counts, err := runs.Get(ctx, owner(in.Who), args.RunID)
		if err != nil {
			return nil, err
		}
		return map[string]any{"run": run.ViewWith(counts), "output": output}, nil
	})
}

func (k *kit) cancel(ctx context.Context, in tool.Invocation, args CancelArguments) (any, error) {
	return k.with("cancel", func(runs Runs) (map[string]any, error) {
		run, err := runs.Cancel(ctx, owner(in.Who), args.RunID, args.Force != nil && *args.Force)
		if err != nil {
			return nil, err
		}
		return map[string]any{"run": run.View(false)}, nil
	})
}

func (k *kit) list(ctx context.Context, in tool.Invocation, args ListArguments) (any, error) {
	return k.with("list", func(runs Runs) (map[string]any, error) {
		all, err := runs.List(ctx, owner(in.Who), args.IncludeFinished == nil || *args.IncludeFinished)
		if err != nil {
			return nil, err
		}
		views := make([]any, 0, len(all))
		for _, run := range all {
			views = append(views, run.View(true))
		}
		return map[string]any{"runs": views}, nil
	})
}

func owner(who identity.Execution) script.Owner {
	return script.Owner{Requester: who.Requester, Agent: who.Agent}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
