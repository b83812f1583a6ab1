package turn

import (
	"context"
	"fmt"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Modes finds what was chosen for the conversation of an agent with a requester
// (mode.Choices).
type Modes func(q store.Queryer, agent *config.Agent, who identity.Execution) (mode.Mode, error)

// ReasonMode ends a turn in minimal mode whose agent or deployment does not meet
// what that needs any more.
const ReasonMode Reason = "minimal_mode_unavailable"

// chooseMode settles the mode of a response that starts; one under way keeps its
// own, whatever is chosen meanwhile (M06).
func (r *response) chooseMode(ctx context.Context) error {
	if r.cp.Mode != "" {
		return nil
	}
	r.cp.Mode, r.cp.Began = mode.Standard, r.e.Wall.Stamp()
	if r.e.Modes == nil {
		return nil
	}
	return r.persist(ctx, func() error {
		return r.e.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
			r.cp.Mode, err = r.e.Modes(q, r.agent, r.row.who)
			return err
		})
	})
}

// minimal reports whether the response has one Bash tool and a short prompt.
func (r *response) minimal() bool { return r.cp.Mode == mode.Minimal }

// permitted looks, at every attempt, whether minimal mode is possible still. If
// not, the turn ends before the model is asked anything; the choice stays, and
// nobody is moved to the other mode unasked (M08).
func (r *response) permitted() (ending, bool) {
	if !r.minimal() {
		return ending{}, true
	}
	if problems := mode.Requirements(r.snap, r.surface, r.e.deployment()); len(problems) > 0 {
		return r.unfit(mode.Bullets(problems)), false
	}
	return ending{}, true
}

// unfit is the end of a response in minimal mode that cannot be given; why says
// what is missing, in Markdown.
func (r *response) unfit(why string) ending {
	if r.child != nil {
		return ending{state: Failed, reason: ReasonMode, note: fmt.Sprintf("The minimal subagent cannot work:\n\n%s\n\n%s", why, withoutMinimal)}
	}
	agent := r.row.agent
	return ending{state: Failed, reason: ReasonMode, note: fmt.Sprintf("%s is in minimal mode here and cannot answer in it:\n\n%s\n\nTo go back to standard mode, write `!mode %s standard` in this conversation.\n\n%s",
		r.agent.DisplayName, why, agent, noteError("minimal mode is not possible at the moment."))}
}

// deployment is what the installation offers; the zero value, without an API,
// where nobody tells.
func (e *Engine) deployment() mode.Deployment {
	if e.Deployment == nil {
		return mode.Deployment{}
	}
	return e.Deployment()
}

// shellTool is the function behind Bash of minimal mode.
var shellTool = tool.Name{Toolkit: "shell", Function: "run_shell_command"}
