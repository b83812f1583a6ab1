package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/control"
)

func newScriptsLs(u *ui) *cobra.Command {
	var at place
	var all, asJSON bool
	var limit int
	cmd := &cobra.Command{
		Use:     "ls [flags]",
		Aliases: []string{"list"},
		Short:   "List runs, newest first",
		Long: `List the runs of background scripts, newest first: those that run, and with --all
also those that ended. A pipe gets columns separated by tabs, and times in RFC 3339.
A run that has to end and cannot yet has a note on stderr that says what to restore.`,
		Example: `  mindroom scripts ls
  mindroom scripts ls --all --limit 20
  mindroom scripts ls --json | jq -r '.runs[].run.run_id'`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return usagef("--limit %d is negative: use 0 for all", limit)
			}
			return at.askRuntime(cmd.Context(), u, func(ctx context.Context, c *control.Client) error {
				runs, err := c.List(ctx, all, limit)
				if err != nil {
					return err
				}
				if asJSON {
					return u.json(map[string]any{"runs": raws(runs)})
				}
				return u.listRuns(runs, all, time.Now())
			})
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVarP(&all, "all", "a", false, "list ended runs too")
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "list the newest `number` of runs only (0: all)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return documented(cmd, page{statuses: []int{exitUnreachable}})
}

// raws are the runs as the runtime gave them.
func raws(runs []control.Run) []json.RawMessage {
	list := make([]json.RawMessage, 0, len(runs))
	for _, r := range runs {
		list = append(list, r.Raw)
	}
	return list
}

func (u *ui) listRuns(runs []control.Run, all bool, now time.Time) error {
	if len(runs) == 0 && u.errTTY {
		hint := "no script runs: mindroom scripts ls --all lists ended ones"
		if all {
			hint = "no script has ever run here"
		}
		fmt.Fprintln(u.err, hint)
		return nil
	}
	t := table{head: []string{"RUN", "NAME", "AGENT", "STATE", "CREATED"}}
	for _, r := range runs {
		t.row(cell{text: r.ID}, cell{text: dash(r.Name)}, cell{text: r.Agent}, cell{text: stateText(r), ink: stateInk(r.State)}, cell{text: u.when(r.Created, now)})
	}
	if err := t.print(u); err != nil {
		return err
	}
	for _, r := range runs {
		if r.Trouble != nil {
			fmt.Fprintf(u.err, "note: %s has to end and cannot yet: %s\n", tty.Plain(r.ID), tty.Plain(r.Trouble.String()))
		}
	}
	return nil
}

// when is an instant as a table shows it: how long ago, and when.
func (u *ui) when(t, now time.Time) string {
	if !u.outTTY {
		return t.UTC().Format(time.RFC3339)
	}
	return ago(now.Sub(t)) + " (" + t.Local().Format("2006-01-02 15:04") + ")"
}

// stateText is the state, with the exit code where there is one.
func stateText(r control.Run) string {
	if r.ExitCode != nil {
		return fmt.Sprintf("%s (%d)", r.State, *r.ExitCode)
	}
	return r.State
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
