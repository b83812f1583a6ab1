package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// family is a configuration in which the watcher hands work to a helper and to
// copies of itself.
const family = `
models:
  default: {provider: scripted, id: demo}
  small: {provider: scripted, id: little}
agents:
  watcher: {display_name: Watcher, role: You watch., tools: [probe], delegate_to: [helper, watcher], background_jobs: true}
  helper: {display_name: Helper, role: You help., instructions: [Be brief.], tools: [probe], delegate_to: [deeper]}
  deeper: {display_name: Deeper, tools: [probe], delegate_to: [deepest]}
  deepest: {display_name: Deepest, tools: [probe], delegate_to: [helper]}
  stranger: {display_name: Stranger, tools: [probe]}
authorization: {default_room_access: true}
`

// delegateKit is a toolkit as toolkit/delegate is one, over the engine of b.
func delegateKit(b *bundle) tool.Toolkit {
	type run struct {
		Task       string   `json:"task"`
		Agent      string   `json:"agent,omitempty"`
		Model      string   `json:"model,omitempty"`
		Prompt     string   `json:"prompt,omitempty"`
		Tools      []string `json:"tools,omitempty"`
		Background bool     `json:"background,omitempty"`
		Minimal    bool     `json:"minimal,omitempty"`
	}
	type other struct {
		ID      string `json:"id"`
		Message string `json:"message,omitempty"`
	}
	said := func(r any, err error) (any, error) {
		var refusal *Refusal
		if errors.As(err, &refusal) {
			return "refused: " + refusal.Text, nil
		}
		if report, ok := r.(Report); ok {
			b.tools.reports <- report
			return fmt.Sprintf("%s %s: %s", report.Agent, report.State, report.Result), err
		}
		return r, err
	}
	return tool.Toolkit{Name: "delegate", Purpose: "for tests", Build: func(tool.Env) ([]tool.Function, error) {
		spec := func(name string) tool.Spec { return tool.Spec{Name: name, Class: tool.Outer, Native: true} }
		return []tool.Function{
			tool.Typed(spec("run_subagent"), func(ctx context.Context, in tool.Invocation, a run) (any, error) {
				return said(b.engine.RunSubagent(ctx, in, Task{Text: a.Task, Agent: a.Agent, Model: a.Model, Prompt: a.Prompt, Tools: a.Tools, Background: a.Background, Minimal: a.Minimal}))
			}),
			tool.Typed(spec("continue_subagent"), func(ctx context.Context, in tool.Invocation, a other) (any, error) {
				return said(b.engine.ContinueSubagent(ctx, in, a.ID, a.Message))
			}),
			tool.Typed(spec("stop_subagent"), func(ctx context.Context, in tool.Invocation, a other) (any, error) {
				return said(b.engine.StopSubagent(ctx, in, a.ID))
			}),
			tool.Typed(spec("list_subagents"), func(ctx context.Context, in tool.Invocation, _ struct{}) (any, error) {
				reports, err := b.engine.Subagents(ctx, in)
				var lines []string
				for _, r := range reports {
					lines = append(lines, fmt.Sprintf("%s %s", r.Agent, r.State))
				}
				return strings.Join(lines, ", "), err
			}),
		}, nil
	}}
}

// report is the next report of a subagent that a caller got.
func (b *bundle) report() Report {
	b.t.Helper()
	select {
	case r := <-b.tools.reports:
		return r
	case <-time.After(patient):
		b.t.Fatal("no subagent was reported")
		return Report{}
	}
}

// subagent is one as stored.
func (b *bundle) subagent(id string) subagent {
	b.t.Helper()
	var s subagent
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) (err error) {
		var found bool
		if s, found, err = loadSubagent(q, id); err == nil && !found {
			err = fmt.Errorf("no subagent %s", id)
		}
		return err
	}))
	return s
}

// only is the one subagent that the database has.
func (b *bundle) only() subagent {
	b.t.Helper()
	ids := b.subagentIDs()
	if len(ids) != 1 {
		b.t.Fatalf("there are %d subagents", len(ids))
	}
	return b.subagent(ids[0])
}

func (b *bundle) subagentIDs() (ids []string) {
	b.t.Helper()
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) error {
		ids = nil
		return store.Each(q, func(rows *store.Rows) error {
			var id string
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		}, `SELECT subagent_id FROM subagents`)
	}))
	return ids
}

// decision is how the question about a call ended.
func (b *bundle) decision(ref tool.Ref) (d tool.Decision) {
	b.t.Helper()
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) (err error) {
		d, _, err = b.engine.Cards.Decision(q, ref)
		return err
	}))
	return d
}

// until waits for a condition that needs no event of its own.
func (b *bundle) until(what string, ok func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(patient); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("%s did not come about", what)
		}
	}
}

// result is what the model read of the n-th call of its last batch in a question.
func (b *bundle) result(question, n int) string {
	b.t.Helper()
	messages := b.model.asked()[question].Messages
	return messages[len(messages)-1].Results()[n].Text
}

func args(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// namedModels finds the model "small" besides the default.
func namedModels(b **bundle) func(*Parts) {
	return func(p *Parts) {
		p.ModelNamed = func(snap *config.Snapshot, name string) (Model, error) {
			if _, ok := snap.Config.Models[name]; !ok {
				return Model{}, fmt.Errorf("model %s is not in the configuration", name)
			}
			return Model{Provider: (*b).model, Name: name, Kind: "scripted", ID: "little"}, nil
		}
	}
}

func newFamily(t *testing.T) *bundle {
	t.Helper()
	var b *bundle
	b = newBundleOf(t, family, func(p *Parts) { namedModels(&b)(p) })
	return b
}
