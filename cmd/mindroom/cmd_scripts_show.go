package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/control"
)

func newScriptsShow(u *ui) *cobra.Command {
	var at place
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show RUN [flags]",
		Short: "Show one run with its limits and grants",
		Long: `Show one run: whose it is, how it went, its limits, and the functions it may call.

RUN is a run id, the beginning of one, or a script's name if only one run has it.`,
		Example: `  mindroom scripts show watcher
  mindroom scripts show script-3fa8 --json | jq .run.grants`,
		Args: exactly("RUN, a run id or a script's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return at.askRuntime(cmd.Context(), u, func(ctx context.Context, c *control.Client) error {
				run, err := pick(ctx, c, args[0])
				if err != nil {
					return err
				}
				// A list has shortened runs, so it is asked for once more.
				if run, err = c.Show(ctx, run.ID); err != nil {
					return err
				}
				if asJSON {
					return u.json(run.Raw)
				}
				return u.showRun(run, time.Now())
			})
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return documented(cmd, page{statuses: []int{exitUnreachable}, notes: map[int]string{exitFailed: "it failed, or no such run is known"}})
}

// shownRun is what show prints besides control.Run.
type shownRun struct {
	Run struct {
		Started  *time.Time `json:"started_at"`
		Finished *time.Time `json:"finished_at"`
		Cancel   *time.Time `json:"cancel_requested_at"`
		Signal   string     `json:"exit_signal"`
		Rate     int        `json:"max_tool_calls_per_minute"`
		Seconds  int64      `json:"max_runtime_seconds"`
		Grants   []granted  `json:"grants"`
		Held     string     `json:"containment"`
		Notice   string     `json:"notice"`
		Calls    struct {
			Waiting []waitingCall `json:"waiting_for_approval"`
		} `json:"calls"`
	} `json:"run"`
	Thread string `json:"thread_id"`
}

// waitingCall is a call that waits for a person.
type waitingCall struct {
	Call     string    `json:"call_id"`
	Function string    `json:"function"`
	Since    time.Time `json:"since"`
	Expires  time.Time `json:"expires_at"`
}

// granted is one function of a run's launch grant.
type granted struct {
	Toolkit  string `json:"toolkit_name"`
	Function string `json:"function_name"`
}

// grantNames writes a grant as people and rules name functions.
func grantNames(grants []granted) string {
	names := make([]string, len(grants))
	for i, g := range grants {
		names[i] = g.Toolkit + "." + g.Function
	}
	return strings.Join(names, ", ")
}

func (u *ui) showRun(r control.Run, now time.Time) error {
	var more shownRun
	if err := json.Unmarshal(r.Raw, &more); err != nil {
		return fmt.Errorf("run %s cannot be read: %w: update mindroom", r.ID, err)
	}
	f := fields{u: u, w: u.out, now: now}
	f.text("run", r.ID)
	f.text("name", r.Name)
	f.text("agent", r.Agent)
	f.text("state", u.paint(u.outTTY, stateInk(r.State), tty.Plain(r.State)))
	if r.ExitCode != nil {
		f.text("exit code", fmt.Sprint(*r.ExitCode))
	}
	f.text("signal", more.Run.Signal)
	f.text("reason", r.Reason)
	f.text("error", r.Error)
	if r.Trouble != nil {
		f.text("trouble", r.Trouble.String())
	}
	f.time("created", &r.Created)
	f.time("started", more.Run.Started)
	// Also of a run that ended by itself: from then on it can call no tool.
	f.time("revoked", more.Run.Cancel)
	f.time("finished", more.Run.Finished)
	f.text("mode", r.Mode)
	f.text("held by", more.Run.Held)
	f.text("limits", fmt.Sprintf("%d calls a minute, %s in all", more.Run.Rate, time.Duration(more.Run.Seconds)*time.Second))
	f.text("grants", grantNames(more.Run.Grants))
	for _, c := range more.Run.Calls.Waiting {
		f.text("waits", fmt.Sprintf("for approval of %s since %s, until %s", c.Function, c.Since.Format(time.RFC3339), c.Expires.Format(time.RFC3339)))
	}
	f.text("requester", r.Requester)
	f.text("room", r.Room)
	f.text("thread", more.Thread)
	f.text("notice", more.Run.Notice)
	return f.err
}

// fields prints one labelled line a field and leaves out empty ones.
type fields struct {
	u   *ui
	w   io.Writer
	now time.Time
	err error
}

func (f *fields) text(label, value string) {
	if value == "" || f.err != nil {
		return
	}
	lines := strings.Split(strings.TrimRight(value, "\n"), "\n")
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		if label != "state" {
			line = tty.Plain(line)
		}
		_, f.err = fmt.Fprintf(f.w, "%-10s %s\n", label, line)
	}
}

func (f *fields) time(label string, t *time.Time) {
	if t == nil || t.IsZero() {
		return
	}
	f.text(label, t.Local().Format("2006-01-02 15:04:05 MST")+" ("+ago(f.now.Sub(*t))+")")
}
