package main

import (
	"context"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mindroom/internal/audit"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	place
	agent, requester, run, turn, room, door, tool, state, kind, since, until string
	limit                                                                    int
	asJSON, follow                                                           bool
}

func newAudit(u *ui) *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:   "audit [flags]",
		Short: "Show which tools were called, for whom, and how it ended",
		Long: `Show the record of tool calls, oldest first: who called what on whose behalf, what
the rules and people said, and how it ended, whatever door a call came through.
Refused calls are there as well.

Filters join: a call must fit all of them. A time is an RFC 3339 instant, a date, or
how long ago it was, such as 90m, 36h or 7d. --tool is a shell pattern over the
function's name, or over toolkit.function.

The database is read, nothing is asked and nothing is changed, so that it works
beside a running MindRoom and without one. Secrets are redacted, long texts cut.
'mindroom explain' tells more of one call.`,
		Example: `  mindroom audit --since 1h
  mindroom audit --state failed --kind approval_denied --limit 0
  mindroom audit --run script-0f3c9a… --tool 'website.*'
  mindroom audit --follow --json | jq -r '.function + " " + .state'`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := f.filter(time.Now())
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			err = f.audit(ctx, u, wanted)
			if ctx.Err() != nil {
				return errInterrupted
			}
			return ofAnotherVersion(err)
		},
	}
	f.flags(cmd)
	cmd.Flags().StringVar(&f.agent, "agent", "", "only calls of this `agent`")
	cmd.Flags().StringVar(&f.requester, "requester", "", "only calls on behalf of this Matrix `id`")
	cmd.Flags().StringVar(&f.run, "run", "", "only calls of the script run with this `id`")
	cmd.Flags().StringVar(&f.turn, "turn", "", "only calls of the turn with this `id`")
	cmd.Flags().StringVar(&f.room, "room", "", "only calls that belong to the room with this `id`")
	cmd.Flags().StringVar(&f.door, "door", "", "only calls through this `door`: turn, cli or script")
	cmd.Flags().StringVar(&f.tool, "tool", "", "only calls of functions that match this `pattern`")
	cmd.Flags().StringVar(&f.state, "state", "", "only calls that ended in this `state`: completed, failed, cancelled or indeterminate")
	cmd.Flags().StringVar(&f.kind, "kind", "", "only calls that ended with this `kind` of fault")
	cmd.Flags().StringVar(&f.since, "since", "", "only calls made at or after this `time`")
	cmd.Flags().StringVar(&f.until, "until", "", "only calls made before this `time`")
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 50, "the newest `number` of calls (0: all)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object; with --follow one for each call, a line each")
	cmd.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on with calls as they end")
	return documented(cmd, page{statuses: []int{exitInterrupted}, notes: map[int]string{
		exitDone:   "done, even if no call fits",
		exitFailed: "the database cannot be read",
	}})
}

// filter makes the wish of the flags, or says which of them cannot be meant.
func (f *auditFlags) filter(now time.Time) (audit.Filter, error) {
	wanted := audit.Filter{
		Agent: f.agent, Requester: f.requester, Room: f.room, Door: tool.Door(f.door), Tool: f.tool, State: tool.State(f.state), Kind: tool.FaultKind(f.kind),
	}
	switch {
	case f.limit < 0:
		return wanted, usagef("--limit %d is negative: use 0 for all", f.limit)
	case f.run != "" && f.turn != "":
		return wanted, usagef("a call belongs to a run or to a turn: give one of --run and --turn")
	case f.door != "" && !wanted.Door.Known():
		return wanted, usagef("--door %q is no door: use turn, cli or script", f.door)
	}
	switch wanted.State {
	case "", tool.StateCompleted, tool.StateFailed, tool.StateCancelled, tool.StateIndeterminate:
	default:
		return wanted, usagef("--state %q is no state of an ended call: use completed, failed, cancelled or indeterminate", f.state)
	}
	wanted.Owner = f.run + f.turn
	var err error
	if wanted.Since, err = instantOf("--since", f.since, now); err != nil {
		return wanted, err
	}
	wanted.Until, err = instantOf("--until", f.until, now)
	return wanted, err
}

// instantOf reads a time as people give it; the zero time for none.
func instantOf(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return t, nil
	}
	ago, err := time.ParseDuration(text)
	if number, isDays := strings.CutSuffix(text, "d"); isDays {
		var days float64
		days, err = strconv.ParseFloat(number, 64)
		if ago = -1; days >= 0 { // which no NaN is
			ago = time.Duration(min(days, 1e5) * float64(24*time.Hour))
		}
	}
	if err != nil || ago < 0 {
		return time.Time{}, usagef("%s %q is no time: use one such as 90m, 7d, 2026-01-31 or 2026-01-31T09:00:00Z", flag, text)
	}
	return now.Add(-ago), nil
}

// auditBreath lies between two looks of somebody who follows: the database tells
// nobody outside its process that something was written.
const auditBreath = 500 * time.Millisecond

func (f *auditFlags) audit(ctx context.Context, u *ui, wanted audit.Filter) error {
	db, err := f.database(ctx, u)
	if err != nil {
		return err
	}
	defer db.Close()
	p := auditPrinter{u: u, asJSON: f.asJSON, follow: f.follow}
	for limit := f.limit; ; limit = 0 {
		var found []audit.Record
		var newest int64
		err := db.Read(ctx, func(q *store.Reader) (err error) {
			if newest, err = audit.Last(q); err != nil || newest <= wanted.After {
				found = nil
				return err
			}
			found, err = audit.Find(q, wanted, limit)
			return err
		})
		if err != nil {
			return err
		}
		if err := p.print(found); err != nil || !f.follow {
			return err
		}
		wanted.After = max(wanted.After, newest)
		if err := pause(ctx, auditBreath); err != nil {
			return err
		}
	}
}
