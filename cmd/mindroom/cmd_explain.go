package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mindroom/internal/config"
	"mindroom/internal/explain"
	"mindroom/internal/runtime"
	"mindroom/internal/secret"
	"mindroom/internal/tool"
)

func newExplain(u *ui) *cobra.Command {
	var at place
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [OWNER] ID [flags]",
		Short: "Tell why a run, an answer or a call happened",
		Long: `Tell why something happened: which door a call came through, what was granted,
which rule decided, what hooks said, where it ran, how it ended, and what caused
it, back to the message in the room.

ID is a run id (script-…), a turn id (turn-…), a call's correlation id as logs
have it, or a call id. OWNER is the run or the turn of the call; it is needed where
several have a call of that id.

The database is read, nothing is asked and nothing is changed, so that it works
beside a running MindRoom and without one. Secrets are redacted, long texts cut.`,
		Example: `  mindroom explain script-0f3c9a…
  mindroom explain script-0f3c9a… 7b1d2e
  mindroom explain turn-88ab41… --json | jq '.chain[].kind'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return nil
			}
			return exactly("ID, of a run, a turn or a call")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			owner, id := "", args[len(args)-1]
			if len(args) == 2 {
				owner = args[0]
			}
			report, err := at.explain(ctx, u, owner, id)
			switch {
			case ctx.Err() != nil:
				return errInterrupted
			case err != nil:
				return err
			case asJSON:
				return u.json(report)
			}
			return u.explained(report, time.Now())
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return documented(cmd, page{statuses: []int{exitInterrupted}, notes: map[int]string{
		exitFailed: "nothing, or more than one call, has the id; or the database cannot be read",
	}})
}

// explain reads the database of the installation.
func (p *place) explain(ctx context.Context, u *ui, owner, id string) (explain.Report, error) {
	db, err := p.database(ctx, u)
	if err != nil {
		return explain.Report{}, err
	}
	defer db.Close()
	offered, err := p.offered(u)
	if err != nil {
		fmt.Fprintln(u.err, "mindroom: what agents still have cannot be told, because the configuration cannot be used: mindroom config validate says why")
	}
	report, err := explain.ID(ctx, explain.Options{DB: db, Redactor: secret.Default, Offered: offered}, owner, id)
	if errors.Is(err, explain.ErrUnknown) {
		return report, fmt.Errorf("%w: mindroom scripts ls --all lists runs; calls of a turn that still run need their turn's id before them", err)
	}
	return report, ofAnotherVersion(err)
}

// offered tells what agents have under the configuration as it is now. Where
// only a storage path is known there is none; then the function is nil.
func (p *place) offered(u *ui) (func(string, tool.Name) bool, error) {
	path, err := p.find(u)
	if errors.Is(err, errNoConfig) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	env, _, err := p.load(u, path)
	if err != nil {
		return nil, err
	}
	catalog, err := runtime.Catalog()
	if err != nil {
		return nil, err
	}
	c, _, err := config.Load(path, catalog, env)
	if err != nil {
		return nil, err
	}
	snap := config.NewHolder(c).Current()
	return func(agent string, name tool.Name) bool {
		surface, err := catalog.Surface(snap, agent)
		return err == nil && surface.Lookup(name) != nil // an agent that is gone has nothing
	}, nil
}
