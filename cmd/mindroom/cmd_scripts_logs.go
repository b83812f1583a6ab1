package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/control"
)

func newScriptsLogs(u *ui) *cobra.Command {
	var at place
	var follow bool
	cmd := &cobra.Command{
		Use:   "logs RUN [flags]",
		Short: "Print what a script wrote, and follow it",
		Long: `Print the kept end of what a script wrote to stdout and stderr. With --follow
print what comes until the run ends; the run itself goes on if you stop looking.

RUN is a run id, the beginning of one, or a script's name if only one run has it.`,
		Example: `  mindroom scripts logs watcher
  mindroom scripts logs script-3fa8 -f`,
		Args: exactly("RUN, a run id or a script's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return at.askRuntime(cmd.Context(), u, func(ctx context.Context, c *control.Client) error {
				run, err := pick(ctx, c, args[0])
				if err != nil {
					return err
				}
				if !follow {
					out, err := c.Output(ctx, run.ID, -1)
					if err != nil {
						return err
					}
					return u.output(out.Text)
				}
				if err := tail(ctx, c, run.ID, u.output); err != nil {
					return err
				}
				return u.ended(ctx, c, run.ID)
			})
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "print what comes until the run ends")
	return documented(cmd, page{statuses: []int{exitUnreachable, exitInterrupted}, notes: map[int]string{
		exitDone:        "it was printed; with --follow: the run ended, however it ended",
		exitFailed:      "it failed, or no such run is known",
		exitInterrupted: "a signal ended the following",
	}})
}

// output prints a script's text: for a program as it is, for a terminal without
// what the terminal would obey.
func (u *ui) output(text string) error {
	if u.outTTY {
		text = tty.PlainLines(text)
	}
	_, err := io.WriteString(u.out, text)
	return err
}

// ended says on stderr how a followed run ended.
func (u *ui) ended(ctx context.Context, c *control.Client, id string) error {
	run, err := c.Show(ctx, id)
	if err != nil {
		return err
	}
	how := stateText(run)
	if run.Reason != "" {
		how += ": " + tty.Plain(run.Reason)
	}
	fmt.Fprintln(u.err, u.paint(u.errTTY, faint, "run "+tty.Plain(run.ID)+" ended: "+how))
	return nil
}
