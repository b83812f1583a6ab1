package delegate

import (
	"context"
	"errors"
	"strings"

	"mindroom/internal/excerpt"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

// listedBytes bounds what a list shows of one result.
const listedBytes = 2000

type runArguments struct {
	Task         string   `json:"task" jsonschema:"All that the subagent is told: what to do, what it needs to know, and what to answer with. It sees nothing of this conversation."`
	AgentName    *string  `json:"agent_name,omitempty"`
	Model        *string  `json:"model,omitempty" jsonschema:"A configured model to use in place of the agent's own."`
	Minimal      *bool    `json:"minimal,omitempty"`
	SystemPrompt *string  `json:"system_prompt,omitempty" jsonschema:"Who the subagent is and how it works, in place of your own role and instructions. Only for a copy of yourself. Taken as it is, up to 64 KiB."`
	Tools        []string `json:"tools,omitempty" jsonschema:"Which of your tools a copy of yourself gets: toolkits, or toolkit.function. Left out or null: all; an empty list: none."`
	Profile      *string  `json:"profile,omitempty" jsonschema:"A copy of yourself as subagents/NAME.md of your workspace says, in place of system_prompt and tools: front matter with description, tools, model and mode, then the prompt."`
	Background   *bool    `json:"background,omitempty" jsonschema:"True: do not wait. It goes on after your answer; its end starts you again with a message here."`
}

type continueArguments struct {
	SubagentID string `json:"subagent_id" jsonschema:"Id of the subagent, as run_subagent returned it."`
	Message    string `json:"message" jsonschema:"What it is to do next. It remembers what it was told, did and said."`
}

type listArguments struct {
	SubagentID *string `json:"subagent_id,omitempty" jsonschema:"Only this one, with the whole of its result."`
}

type stopArguments struct {
	SubagentID string `json:"subagent_id" jsonschema:"Id of the subagent."`
}

// view is a subagent as the agent reads of it.
type view struct {
	SubagentID string `json:"subagent_id"`
	Status     string `json:"status"`
	Result     string `json:"result"`
}

// entry is a subagent in a list.
type entry struct {
	view
	Agent      string `json:"agent_name"`
	Mode       string `json:"mode"`
	Background bool   `json:"background"`
}

type kit struct{ children func() Children }

func functions(children func() Children, o offer) []tool.Function {
	k := kit{children}
	run := tool.Spec{Name: "run_subagent", Description: o.description(), Describe: o.describe(), Omit: o.omit(), Class: tool.Outer, Native: true}
	all := []tool.Function{
		tool.Typed(run, k.run),
		tool.Typed(tool.Spec{Name: "continue_subagent", Class: tool.Outer, Native: true,
			Description: "Give a subagent of yours another message and wait for its answer.\nIt goes on from where it was, with the same agent, tools and mode. One that is at work cannot be continued."}, k.next),
		tool.Typed(tool.Spec{Name: "list_subagents", Class: tool.Outer, Native: true,
			Description: "List your subagents of this conversation with their state and the beginning of their results."}, k.list),
		tool.Typed(tool.Spec{Name: "stop_subagent", Class: tool.Outer, Native: true,
			Description: "End a subagent of yours that is at work. It can be continued later."}, k.stop),
	}
	for i := range all {
		all[i].Depends = o.depends()
	}
	return all
}

func (k kit) run(ctx context.Context, in tool.Invocation, a runArguments) (any, error) {
	return k.with(func(children Children) (any, error) {
		t := turn.Task{Text: a.Task, Agent: text(a.AgentName), Model: text(a.Model), Minimal: truth(a.Minimal), Prompt: text(a.SystemPrompt), Tools: a.Tools, Background: truth(a.Background)}
		if name := text(a.Profile); name != "" {
			var err error
			if t, err = applied(in, name, t); err != nil {
				return nil, err
			}
		}
		return answer(children.RunSubagent(ctx, in, t))
	})
}

func (k kit) next(ctx context.Context, in tool.Invocation, a continueArguments) (any, error) {
	return k.with(func(children Children) (any, error) {
		return answer(children.ContinueSubagent(ctx, in, a.SubagentID, a.Message))
	})
}

func (k kit) stop(ctx context.Context, in tool.Invocation, a stopArguments) (any, error) {
	return k.with(func(children Children) (any, error) { return answer(children.StopSubagent(ctx, in, a.SubagentID)) })
}

func (k kit) list(ctx context.Context, in tool.Invocation, a listArguments) (any, error) {
	return k.with(func(children Children) (any, error) {
		reports, err := children.Subagents(ctx, in)
		entries := []entry{}
		for _, r := range reports {
			e := entry{viewOf(r), r.Agent, string(r.Mode), r.Background}
			switch only := text(a.SubagentID); {
			case only != "" && only != r.ID:
				continue
			case only == "" && len(e.Result) > listedBytes:
				e.Result = excerpt.Head(e.Result, listedBytes) + "…"
			}
			entries = append(entries, e)
		}
		return map[string][]entry{"subagents": entries}, err
	})
}

// with makes a refusal an answer: the agent is to read it and choose again.
func (k kit) with(do func(Children) (any, error)) (any, error) {
	children := k.children()
	if children == nil {
		return nil, &tool.Fault{Kind: tool.FaultUnavailable, Retryable: true, Message: "the runtime is not ready yet; try again shortly"}
	}
	value, err := do(children)
	var refusal *turn.Refusal
	if errors.As(err, &refusal) {
		return refusal.Text, nil
	}
	return value, err
}

func answer(r turn.Report, err error) (any, error) { return viewOf(r), err }

func viewOf(r turn.Report) view {
	return view{SubagentID: r.ID, Status: string(r.State), Result: r.Result}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func truth(b *bool) bool { return b != nil && *b }

// description says what run_subagent does for this agent, and with whom.
func (o offer) description() string {
	lines := []string{
		"Hand a task to a subagent and wait for its answer.",
		"It works with its own prompt, tools, memory and workspace, in this room and for the same person, and says nothing in the room. Several can work at once. " +
			"Its id lets you continue it later.",
		"Agents you may use: " + strings.Join(o.targets, ", ") + ".",
	}
	if o.authored {
		lines = append(lines, "A copy of yourself can be given a system_prompt and a choice of your tools.")
	}
	if len(o.minimal) > 0 {
		lines = append(lines, "With minimal it starts with a short prompt and one Bash tool, and reaches its other tools through mindroom-agent: "+
			"for self-contained tasks that do not need its role and guidance up front. It cannot wait for approvals. Possible for: "+strings.Join(o.minimal, ", ")+".")
	}
	return strings.Join(lines, "\n")
}

// describe words the arguments that differ between agents.
func (o offer) describe() map[string]string {
	who := "Who does it: " + strings.Join(o.targets, ", ") + "."
	switch {
	case o.authored:
		who += " Left out: a copy of yourself."
	case len(o.targets) == 1:
		who += " May be left out."
	}
	return map[string]string{
		"agent_name": who,
		"minimal":    "True: the short prompt and the one Bash tool. Possible for: " + strings.Join(o.minimal, ", ") + ".",
	}
}

// omit are the arguments that this agent is not offered.
func (o offer) omit() (names []string) {
	if len(o.minimal) == 0 {
		names = append(names, "minimal")
	}
	if !o.authored {
		names = append(names, "system_prompt", "tools", "profile")
	}
	if !o.background {
		names = append(names, "background")
	}
	return names
}
