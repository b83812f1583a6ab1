package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

const columns = `card_id, door, owner, call_id, toolkit, function, agent, requester, account, room_id, thread_root, digest, rule,
	arguments, approvable, state, decided_by, reason, requested_at, expires_at, decided_at, depends, file`

// insert adds a card; false when the call has one.
func insert(tx *store.Tx, c Card) (fresh bool, err error) {
	approvable := 0
	if c.Approvable {
		approvable = 1
	}
	file := ""
	if !c.File.Zero() {
		raw, err := json.Marshal(c.File)
		if err != nil {
			return false, fmt.Errorf("the file of card %s: %w", c.ID, err)
		}
		file = string(raw)
	}
	n, err := tx.Exec(`INSERT INTO approval_cards (seq, `+columns+`)
		SELECT COALESCE(MAX(seq), 0) + 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, '', '', $17, $18, '', $19, $20
		FROM approval_cards WHERE true ON CONFLICT (card_id) DO NOTHING`,
		c.ID, string(c.Ref.Door), c.Ref.Owner, c.Ref.ID, c.Name.Toolkit, c.Name.Function, c.Agent, c.Requester, c.Account, c.Room, c.ThreadRoot,
		c.Digest, c.Rule, string(c.Arguments), approvable, string(c.State), clock.Stamp(c.Requested), clock.Stamp(c.Expires), c.Depends, file)
	if err != nil {
		return false, fmt.Errorf("card of %s: %w", c.Ref, err)
	}
	return n > 0, nil
}

// end moves a pending card to a final state; false when it has one. But for
// Restore it is the only write of a state (invariant 2).
func end(tx *store.Tx, id string, next State, by, reason string, now time.Time) (first bool, err error) {
	n, err := tx.Exec(`UPDATE approval_cards SET state = $2, decided_by = $3, reason = $4, decided_at = $5 WHERE card_id = $1 AND state = 'pending'`,
		id, string(next), by, reason, clock.Stamp(now))
	if err != nil {
		return false, fmt.Errorf("card %s becomes %s: %w", id, next, err)
	}
	return n > 0, nil
}

// unseen notes that a pending card cannot be seen whole.
func unseen(tx *store.Tx, id string) error {
	if _, err := tx.Exec(`UPDATE approval_cards SET approvable = 0 WHERE card_id = $1 AND state = 'pending'`, id); err != nil {
		return fmt.Errorf("card %s cannot be seen whole: %w", id, err)
	}
	return nil
}

// Of is the card of a call; false when it has none.
func Of(q store.Queryer, ref tool.Ref) (Card, bool, error) { return get(q, cardID(ref)) }

func get(q store.Queryer, id string) (Card, bool, error) {
	c, err := scan(q.QueryRow(`SELECT `+columns+` FROM approval_cards WHERE card_id = $1`, id).Scan)
	if errors.Is(err, store.ErrNoRows) {
		return Card{}, false, nil
	}
	if err != nil {
		return Card{}, false, fmt.Errorf("read card %s: %w", id, err)
	}
	return c, true, nil
}

// Waiting are the pending cards of one owner, oldest first.
func Waiting(q store.Queryer, door tool.Door, owner string) ([]Card, error) {
	return list(q, `WHERE state = 'pending' AND door = $1 AND owner = $2 ORDER BY seq`, string(door), owner)
}

// AllWaiting are the pending cards of everybody, oldest first.
func AllWaiting(q store.Queryer) ([]Card, error) {
	return list(q, `WHERE state = 'pending' ORDER BY seq`)
}

func list(q store.Queryer, where string, args ...any) ([]Card, error) {
	var cards []Card
	err := store.Each(q, func(rows *store.Rows) error {
		c, err := scan(rows.Scan)
		cards = append(cards, c)
		return err
	}, `SELECT `+columns+` FROM approval_cards `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("list cards: %w", err)
	}
	return cards, nil
}

func scan(from func(...any) error) (Card, error) {
	var c Card
	var arguments, requested, expires, decided, file string
	var approvable int
	err := from(&c.ID, &c.Ref.Door, &c.Ref.Owner, &c.Ref.ID, &c.Name.Toolkit, &c.Name.Function, &c.Agent, &c.Requester, &c.Account, &c.Room,
		&c.ThreadRoot, &c.Digest, &c.Rule, &arguments, &approvable, &c.State, &c.By, &c.Reason, &requested, &expires, &decided, &c.Depends, &file)
	if err != nil {
		return Card{}, err
	}
	c.Arguments, c.Approvable = json.RawMessage(arguments), approvable != 0
	if file != "" {
		if err := json.Unmarshal([]byte(file), &c.File); err != nil {
			return Card{}, fmt.Errorf("the file of card %s is damaged in the database: %w", c.ID, err)
		}
	}
	for _, d := range []struct {
		raw string
		to  *time.Time
	}{{requested, &c.Requested}, {expires, &c.Expires}, {decided, &c.Decided}} {
		if d.raw == "" {
			continue
		}
		if *d.to, err = clock.ParseStamp(d.raw); err != nil {
			return Card{}, fmt.Errorf("card %s is damaged in the database: %w", c.ID, err)
		}
	}
	return c, nil
}

// Forget deletes the questions of an owner that is no longer kept, those that
// have ended; a pending one stays until it is withdrawn.
func Forget(tx *store.Tx, door tool.Door, owner string) error {
	_, err := tx.Exec(`DELETE FROM approval_cards WHERE state <> 'pending' AND door = $1 AND owner = $2`, string(door), owner)
	if err != nil {
		return fmt.Errorf("forget the cards of %s: %w", owner, err)
	}
	return nil
}
