package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/approval"
	"mindroom/internal/config"
	"mindroom/internal/hooks"
	"mindroom/internal/runtime"
	"mindroom/internal/skill"
)

// judgement is what validate says about one configuration.
type judgement struct {
	Config   string    `json:"config"`
	Valid    bool      `json:"valid"`
	Errors   []finding `json:"errors"`
	Warnings []finding `json:"warnings"`
	Agents   int       `json:"agents"`
	Models   int       `json:"models"`
	Rooms    int       `json:"rooms"`
	// Unready are the models that cannot answer as things are.
	Unready []unready `json:"unready_models"`
}

func newConfigValidate(u *ui) *cobra.Command {
	var at place
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [flags]",
		Short: "Check a configuration and the environment beside it",
		Long: `Check a configuration, and the environment and .env beside it, without starting
anything. Approval scripts are read and not run, and
programs of hooks and skills are looked for. Every fault is one line, file:line:column: key: what is allowed.

Warnings, and models whose provider has no key, do not make it fail.`,
		Example: `  mindroom config validate
  mindroom config validate --config house.yaml
  mindroom config validate --json | jq '.errors[] | .message'`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := at.find(u)
			if err != nil {
				return err
			}
			j, err := at.judge(cmd.Context(), u, path)
			if err != nil {
				return err
			}
			if asJSON {
				if err := u.json(j); err != nil {
					return err
				}
			} else {
				u.judged(j)
			}
			if !j.Valid {
				return reported{fmt.Errorf("%s has errors", path)}
			}
			return nil
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object on stdout, errors included")
	return documented(cmd, page{notes: map[int]string{
		exitDone:   "the configuration can be used, perhaps with warnings",
		exitFailed: "it has errors, or cannot be read",
	}})
}

// judge reads everything that `run` would read before it starts.
func (p *place) judge(ctx context.Context, u *ui, path string) (judgement, error) {
	j := judgement{Config: path, Errors: []finding{}, Warnings: []finding{}, Unready: []unready{}}
	env, _, err := p.load(u, path)
	if err != nil {
		found, err := findings(err)
		if err != nil {
			return j, err
		}
		j.Errors = append(j.Errors, found...)
	}
	catalog, err := runtime.Catalog()
	if err != nil {
		return j, err
	}
	c, warnings, err := config.Load(path, catalog, env)
	for _, w := range warnings {
		j.Warnings = append(j.Warnings, finding{w.Pos.File, w.Pos.Line, w.Pos.Column, w.Path, w.Message})
	}
	if err != nil {
		found, err := findings(err)
		if err != nil {
			return j, err
		}
		j.Errors = append(j.Errors, found...)
	}
	if c != nil {
		faults, unsure := approval.Validate(ctx, c.Approval, runtime.Interpreter(env))
		for _, e := range append(faults, hooks.Validate(c.ToolHooks)...) {
			j.Errors = append(j.Errors, finding{e.Pos.File, e.Pos.Line, e.Pos.Column, e.Path, e.Message})
		}
		for _, w := range append(unsure, skill.Validate(c)...) {
			j.Warnings = append(j.Warnings, finding{w.Pos.File, w.Pos.Line, w.Pos.Column, w.Path, w.Message})
		}
	}
	j.Valid = len(j.Errors) == 0
	if c == nil {
		return j, nil
	}
	j.Agents, j.Models, j.Rooms = len(c.AgentNames()), len(c.Models), len(c.ManagedRooms())
	j.Unready = unreadyModels(c, env)
	return j, nil
}

// judged prints a judgement: faults on stderr, the counts on stdout.
func (u *ui) judged(j judgement) {
	for _, e := range j.Errors {
		fmt.Fprintln(u.err, e.line(u.paint(u.errTTY, red, "error")))
	}
	warning := u.paint(u.errTTY, yellow, "warning")
	for _, w := range j.Warnings {
		fmt.Fprintln(u.err, w.line(warning))
	}
	for _, m := range j.Unready {
		fmt.Fprintf(u.err, "%s: %s: models.%s: %s\n", j.Config, warning, tty.Plain(m.Model), tty.Plain(m.Problem))
	}
	if !j.Valid {
		u.fail(fmt.Errorf("%s cannot be used, it has %s: repair what the lines above name", j.Config, count(len(j.Errors), "error")))
		return
	}
	fmt.Fprintf(u.out, "%s can be used: %s, %s, %s\n", j.Config, count(j.Agents, "agent"), count(j.Models, "model"), count(j.Rooms, "managed room"))
}

// count is a number with its noun.
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
