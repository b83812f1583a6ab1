package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mindroom/internal/approval"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// waitingCard is a question that waits for a person, as --json prints it.
type waitingCard struct {
	ID         string    `json:"approval_id"`
	Door       tool.Door `json:"door"`
	Owner      string    `json:"owner"`
	Call       string    `json:"call_id"`
	Tool       string    `json:"tool"`
	Agent      string    `json:"agent_name"`
	Requester  string    `json:"requester_id"`
	Room       string    `json:"room_id"`
	Thread     string    `json:"thread_id,omitempty"`
	Rule       string    `json:"rule"`
	Approvable bool      `json:"approvable"`
	Since      time.Time `json:"requested_at"`
	Expires    time.Time `json:"expires_at"`
}

func newApprovals(u *ui) *cobra.Command {
	var at place
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "approvals [flags]",
		Short: "List the tool calls that wait for a person's decision",
		Long: `List the tool calls that wait for a person's decision, oldest first: what is to be
called, by which agent, who is asked, and until when. Decided is in the room, by who
is asked; 'mindroom chat' can do it.

The database is read, nothing is asked and nothing is changed, so that it works
beside a running MindRoom and without one. The arguments are in the room.`,
		Example: `  mindroom approvals
  mindroom approvals --json | jq -r '.approvals[] | .requester_id + " " + .tool'`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, err := at.database(cmd.Context(), u)
			if err != nil {
				return ofAnotherVersion(err)
			}
			defer db.Close()
			var cards []approval.Card
			err = db.Read(cmd.Context(), func(q *store.Reader) (err error) {
				cards, err = approval.AllWaiting(q)
				return err
			})
			if err != nil {
				return ofAnotherVersion(err)
			}
			return u.listCards(cards, asJSON, time.Now())
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return documented(cmd, page{notes: map[int]string{
		exitDone:   "done, even if nothing waits",
		exitFailed: "the database cannot be read",
	}})
}

func (u *ui) listCards(cards []approval.Card, asJSON bool, now time.Time) error {
	if asJSON {
		list := make([]waitingCard, 0, len(cards))
		for _, c := range cards {
			list = append(list, waitingCard{
				ID: c.ID, Door: c.Ref.Door, Owner: c.Ref.Owner, Call: c.Ref.ID, Tool: c.Name.String(), Agent: c.Agent, Requester: c.Requester,
				Room: c.Room, Thread: c.ThreadRoot, Rule: c.Rule, Approvable: c.Approvable, Since: c.Requested, Expires: c.Expires,
			})
		}
		return u.json(map[string]any{"approvals": list})
	}
	if len(cards) == 0 && u.errTTY {
		fmt.Fprintln(u.err, "nothing waits for a decision")
		return nil
	}
	t := table{head: []string{"TOOL", "AGENT", "REQUESTER", "ASKED BY", "SINCE", "EXPIRES", "ID"}}
	for _, c := range cards {
		t.row(cell{text: c.Name.String()}, cell{text: c.Agent}, cell{text: c.Requester}, cell{text: c.Rule}, cell{text: u.when(c.Requested, now)},
			cell{text: u.until(c.Expires)}, cell{text: c.ID})
	}
	return t.print(u)
}

// until is a coming instant as a table shows it.
func (u *ui) until(t time.Time) string {
	if !u.outTTY {
		return t.UTC().Format(time.RFC3339)
	}
	return t.Local().Format("2006-01-02 15:04")
}
