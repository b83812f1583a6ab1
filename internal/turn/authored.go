package turn

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/mode"
	"mindroom/internal/tool"
)

// maxPrompt bounds an authored subagent's prompt, in bytes (spec/agentcli.md 7).
const maxPrompt = 64 << 10

// planned is the subagent that a task asks for, or a *Refusal that says what to
// change.
func (e *Engine) planned(ctx context.Context, c caller, snap *config.Snapshot, t Task) (subagent, error) {
	a := snap.Config.Agents[c.agent]
	if a == nil {
		return subagent{}, refusedf("Agent %s is no longer configured.", c.agent)
	}
	authored := t.Prompt != "" || t.Tools != nil
	s := subagent{
		id: string(identity.NewSubagentID()), caller: c.agent, parent: c.subagent(), conversation: c.conversation(), requester: c.who.Requester,
		agent: t.Agent, mode: mode.Standard, model: t.Model, prompt: t.Prompt, tools: t.Tools, background: t.Background,
		depth: c.depth(), state: SubagentRunning,
	}
	if s.agent == "" {
		s.agent = unnamed(a, authored)
	}
	switch {
	case strings.TrimSpace(t.Text) == "":
		return s, refusedf("A subagent needs a task: it knows nothing of this conversation.")
	case s.agent == "":
		return s, refusedf("Say with agent_name who is to do it. You may hand work to: %s.", allowed(a))
	case s.depth > maxDelegation:
		return s, refusedf("Subagents may stand at most %d above one another, and this would be one more. Do this part of the work yourself.", maxDelegation)
	case t.Background && !a.BackgroundJobs:
		return s, refusedf("Background jobs are not enabled for you. Run the subagent without background and wait for its answer.")
	case t.Background && c.child != nil:
		return s, refusedf("A subagent cannot start background jobs: nobody could be told of their end. Run it without background and wait for its answer.")
	case authored && s.agent != c.agent:
		return s, refusedf("system_prompt and tools make a subagent out of yourself; agent %.64q has its own. Leave agent_name out, or leave them out.", s.agent)
	case len(t.Prompt) > maxPrompt:
		return s, refusedf("system_prompt has %d bytes; at most %d are allowed.", len(t.Prompt), maxPrompt)
	case !utf8.ValidString(t.Prompt):
		return s, refusedf("system_prompt is not valid UTF-8.")
	}
	if c.child != nil && s.tools == nil && s.agent == c.agent {
		s.tools = c.child.sub.tools // it cannot hand on what it was not given
	}
	if err := e.reachable(ctx, c, snap, s); err != nil {
		return s, err
	}
	surface, err := e.Room.Registry.Surface(snap, s.agent)
	if err != nil {
		return s, refusedf("Agent %s is no longer configured.", s.agent)
	}
	if err := c.grants(surface, t.Tools); err != nil || !t.Minimal {
		return s, err
	}
	s.mode = mode.Minimal
	return s, e.fits(snap, surface, s)
}

// unnamed is who works where the task does not say; empty where that is open.
func unnamed(a *config.Agent, authored bool) string {
	switch {
	case authored || slices.Contains(a.DelegateTo, a.Name):
		return a.Name
	case len(a.DelegateTo) == 1:
		return a.DelegateTo[0]
	}
	return ""
}

// grants checks what an authored subagent is to be given: of the caller's tools, and
// no more than it has itself.
func (c caller) grants(surface *tool.Surface, tools []string) error {
	var wrong []string
	for _, entry := range tools {
		if !c.offers(surface, entry) {
			wrong = append(wrong, entry)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return refusedf("tools names what you do not have: %s. An entry is a toolkit, or toolkit.function. Your toolkits: %s.",
		strings.Join(wrong, ", "), strings.Join(c.toolkits(surface), ", "))
}

// offers reports whether the caller has a function under an entry of tools.
func (c caller) offers(surface *tool.Surface, entry string) bool {
	for _, f := range surface.Functions() {
		if (entry == f.Name.Toolkit || entry == f.Name.String()) && (c.child == nil || c.child.granted(f.Name)) {
			return true
		}
	}
	return false
}

func (c caller) toolkits(surface *tool.Surface) []string {
	return slices.DeleteFunc(slices.Clone(surface.Toolkits()), func(name string) bool {
		return name == config.OwnToolkit || !c.offers(surface, name) // the one is kept in any case
	})
}
