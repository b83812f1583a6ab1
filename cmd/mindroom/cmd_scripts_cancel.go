package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/control"
)

func newScriptsCancel(u *ui) *cobra.Command {
	var at place
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "cancel RUN [flags]",
		Short: "End a run",
		Long: `End a run: its calls are closed at once, then its processes are asked to end, and
after a few seconds made to. The command returns when the end is confirmed.

RUN is a run id, the beginning of one, or a script's name if only one run has it.`,
		Example: `  mindroom scripts cancel watcher
  mindroom scripts cancel script-3fa8 --force`,
		Args: exactly("RUN, a run id or a script's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return at.askRuntime(cmd.Context(), u, func(ctx context.Context, c *control.Client) error {
				run, err := pick(ctx, c, args[0])
				if err != nil {
					return err
				}
				was := over(run)
				if !was {
					done := u.waiting("waiting for the processes of " + run.ID + " to end …")
					run, err = c.Cancel(ctx, run.ID, force)
					done()
					if err != nil {
						return err
					}
				}
				switch {
				case asJSON:
					return u.json(run.Raw)
				case was:
					_, err = fmt.Fprintf(u.out, "%s had ended already: %s\n", tty.Plain(run.ID), tty.Plain(stateText(run)))
				default:
					_, err = fmt.Fprintf(u.out, "%s ended: %s\n", tty.Plain(run.ID), tty.Plain(stateText(run)))
				}
				return err
			})
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "kill the processes without asking them first")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the run as one JSON object")
	return documented(cmd, page{statuses: []int{exitUnreachable}, notes: map[int]string{
		exitDone:   "the run is over, perhaps since before",
		exitFailed: "it failed, no such run is known, or the end is not confirmed yet (it is tried again)",
	}})
}

// waiting says on a terminal what is waited for once a second has passed. The
// function it returns ends that and comes back when nothing more is printed.
func (u *ui) waiting(what string) (done func()) {
	over := make(chan struct{})
	var speaking sync.WaitGroup
	speaking.Go(func() {
		t := time.NewTimer(time.Second)
		defer t.Stop()
		select {
		case <-t.C:
			if u.errTTY {
				fmt.Fprintln(u.err, u.paint(true, faint, tty.Plain(what)))
			}
		case <-over:
		}
	})
	return func() { close(over); speaking.Wait() }
}
