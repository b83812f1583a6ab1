package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/mode"
)

// requirementsPage is where people read what minimal mode needs.
const requirementsPage = "docs/how-to/use-minimal-mode.md#deployment-requirements"

// show tells the mode of one agent, and what hinders a mode that was chosen (M08).
func (m AgentModes) show(ctx context.Context, c Call, a *config.Agent, key mode.Key) (string, error) {
	chosen, err := m.get(ctx, key)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("`%s` uses **%s** mode in this conversation%s.", a.Name, chosen, forWhom(a))
	if chosen != mode.Minimal {
		return text, nil
	}
	missing, err := m.missing(c.Snapshot, a.Name)
	if err != nil || len(missing) == 0 {
		return text, err
	}
	return text + fmt.Sprintf(" It cannot answer so, because something went missing:\n\n%s\n\n`!mode %s standard` goes back to standard mode.", m.told(missing), a.Name), nil
}

// refusal names everything that is missing, each with what mends it (M07).
func (m AgentModes) refusal(agent string, missing []mode.Problem) string {
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("❌ `%s` cannot use minimal mode, and nothing was changed:\n\n%s", agent, m.told(missing))
}

// told lists problems, with where the deployment's are mended.
func (m AgentModes) told(missing []mode.Problem) string {
	text := mode.Bullets(missing)
	deployed := slices.ContainsFunc(missing, func(p mode.Problem) bool { return p.Env })
	if file := m.Deployment().EnvFile; deployed && file != "" {
		text += fmt.Sprintf("\n\nSettings of the deployment stand in `%s`; MindRoom reads them when it starts, so start it anew after a change.", plain(file))
	} else if deployed {
		text += "\n\nStart MindRoom anew after a change of its deployment."
	}
	return text + "\n\nMore: " + requirementsPage
}

// unknown answers for a name that is no agent, a team's too, with the nearest names
// among those that the person may talk to here.
func (m AgentModes) unknown(ctx context.Context, c Call, name string) string {
	var here []string
	for _, a := range m.Residents.For(ctx, c.Room, c.Person, c.Snapshot) {
		here = append(here, a.Name)
	}
	text := fmt.Sprintf("❌ Unknown agent `%s`.", plainWord(name))
	if near := config.Nearest(name, here); near != "" {
		text += fmt.Sprintf(" Did you mean `%s`?", near)
	}
	if len(here) == 0 {
		return text
	}
	return text + " Here are `" + strings.Join(here, "`, `") + "`."
}

// list tells the mode of every agent here that the person may talk to.
func (m AgentModes) list(ctx context.Context, c Call) (string, error) {
	var lines []string
	for _, a := range m.Residents.For(ctx, c.Room, c.Person, c.Snapshot) {
		threads := m.Residents.Mode(a, c.Room)
		if threads != config.ModeRoom && c.Thread == "" {
			lines = append(lines, fmt.Sprintf("- `%s`: one for each thread; ask inside one", a.Name))
			continue
		}
		chosen, err := m.get(ctx, mode.KeyFor(a, identity.InThread(a.Name, c.Person, c.Room, c.Thread), threads))
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("- `%s`: %s%s", a.Name, chosen, forWhom(a)))
	}
	if len(lines) == 0 {
		return "No agent that you may talk to is in this room.", nil
	}
	return "Modes in this conversation:\n\n" + strings.Join(lines, "\n") + "\n\n`!mode AGENT minimal` and `!mode AGENT standard` change one.", nil
}

// forWhom says that a private agent's choice is its requester's (M05).
func forWhom(a *config.Agent) string {
	if a.Private != nil {
		return ", for you"
	}
	return ""
}

// plain is a path as it may stand in code.
func plain(path string) string { return strings.ReplaceAll(path, "`", "'") }
