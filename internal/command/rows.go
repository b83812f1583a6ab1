package command

import (
	"fmt"

	"mindroom/internal/store"
)

// State is how far a command has come; the table is in doc.go.
type State string

// The states of a command.
const (
	Accepted  State = "accepted"
	Begun     State = "begun"
	Answered  State = "answered"
	Silent    State = "silent"
	Uncertain State = "uncertain"
)

// allowed is the table of doc.go.
var allowed = map[State]map[State]bool{
	Accepted: {Begun: true, Answered: true, Silent: true},
	Begun:    {Answered: true, Uncertain: true},
}

// Request is a message that is a command, and which account answers it.
type Request struct {
	// Account is as the outbox names it; Entity is the configured name behind it.
	Account, Entity string
	EventID, Room   string
	// Thread is the root of the thread it was said in; empty for the room itself.
	Thread string
	// Sender is the Matrix id it came from, Person whom that id speaks for.
	Sender, Person string
	// Text begins with "!".
	Text string
	// Spoken: it is the transcript of a voice message.
	Spoken bool
}

// row is a command as stored.
type row struct {
	Request
	state State
}

const columns = `event_id, room_id, thread_root, account, entity, sender, person, said, spoken, state`

// Accept records a command in the transaction that takes its message; the desk
// is woken once that is durable. The same event again changes nothing.
func (d *Desk) Accept(tx *store.Tx, r Request) error {
	n, err := tx.Exec(`INSERT INTO commands (event_id, seq, room_id, thread_root, account, entity, sender, person, said, spoken, state, created_at, changed_at)
		SELECT $1, COALESCE(MAX(seq), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, 'accepted', $10, $10 FROM commands WHERE true
		ON CONFLICT (event_id) DO NOTHING`,
		r.EventID, r.Room, r.Thread, r.Account, r.Entity, r.Sender, r.Person, r.Text, r.Spoken, d.Wall.Stamp())
	if err != nil {
		return fmt.Errorf("accept the command %s: %w", r.EventID, err)
	}
	if n > 0 {
		tx.AfterCommit(d.Wake)
	}
	return nil
}

// open lists the commands in a state, in the order of their acceptance.
func open(q store.Queryer, state State) ([]row, error) {
	var all []row
	err := store.Each(q, func(rows *store.Rows) error {
		var r row
		err := rows.Scan(&r.EventID, &r.Room, &r.Thread, &r.Account, &r.Entity, &r.Sender, &r.Person, &r.Text, &r.Spoken, &r.state)
		all = append(all, r)
		return err
	}, `SELECT `+columns+` FROM commands WHERE state IN ('accepted', 'begun') AND state = $1 ORDER BY seq`, string(state))
	if err != nil {
		return nil, fmt.Errorf("list commands that are %s: %w", state, err)
	}
	return all, nil
}

// move changes a state along the table. A row that is no longer as r says stays,
// and is an error: somebody else works on it.
func (d *Desk) move(tx *store.Tx, r row, to State) error {
	if !allowed[r.state][to] {
		return fmt.Errorf("the command %s is %s and cannot become %s", r.EventID, r.state, to)
	}
	n, err := tx.Exec(`UPDATE commands SET state = $2, changed_at = $3 WHERE event_id = $1 AND state = $4`,
		r.EventID, string(to), d.Wall.Stamp(), string(r.state))
	if err != nil {
		return fmt.Errorf("the command %s becomes %s: %w", r.EventID, to, err)
	}
	if n != 1 {
		return fmt.Errorf("the command %s is no longer %s", r.EventID, r.state)
	}
	return nil
}
