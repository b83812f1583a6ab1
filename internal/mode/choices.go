package mode

import (
	"errors"
	"fmt"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// MaxChoices is how many conversations of one agent, and of one requester where the
// agent is private, may have a choice.
const MaxChoices = 1000

// Choices are what people chose, in a database that has Schema. The zero Choices
// tells the time by the system clock.
type Choices struct{ Wall clock.Wall }

// Get is the mode of a conversation: Standard where nothing was chosen, and where
// the row holds no mode that this version knows. An error is one of the store.
func (Choices) Get(q store.Queryer, k Key) (Mode, error) {
	var m Mode
	err := q.QueryRow(`SELECT mode FROM agent_modes WHERE agent = $1 AND owner = $2 AND session = $3`, k.Agent, k.Owner, k.Session).Scan(&m)
	switch {
	case errors.Is(err, store.ErrNoRows):
		return Standard, nil
	case err != nil:
		return Standard, fmt.Errorf("read the mode of agent %s in %s: %w", k.Agent, k.Session, err)
	case m != Minimal:
		return Standard, nil
	}
	return Minimal, nil
}

// Set chooses m for a conversation; by is the Matrix id of who did. Standard, as the
// default, is not stored: it is Clear. Any mode but these two is refused.
func (c Choices) Set(tx *store.Tx, k Key, m Mode, by string) error {
	switch {
	case m == Standard:
		return c.Clear(tx, k)
	case m != Minimal:
		return fmt.Errorf("set the mode of agent %s in %s: %q is no mode", k.Agent, k.Session, m)
	}
	_, err := tx.Exec(`INSERT INTO agent_modes (agent, owner, session, mode, set_by, set_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (agent, owner, session) DO UPDATE SET mode = excluded.mode, set_by = excluded.set_by, set_at = excluded.set_at`,
		k.Agent, k.Owner, k.Session, string(m), by, c.Wall.Stamp())
	if err != nil {
		return fmt.Errorf("set the mode of agent %s in %s: %w", k.Agent, k.Session, err)
	}
	// The row just made stays even where the clock says that it is the oldest.
	_, err = tx.Exec(`DELETE FROM agent_modes WHERE agent = $1 AND owner = $2 AND session <> $3 AND session NOT IN (
			SELECT session FROM agent_modes WHERE agent = $1 AND owner = $2 AND session <> $3 ORDER BY set_at DESC, session LIMIT $4)`,
		k.Agent, k.Owner, k.Session, MaxChoices-1)
	if err != nil {
		return fmt.Errorf("drop the oldest modes of agent %s: %w", k.Agent, err)
	}
	return nil
}

// Clear takes the choice of a conversation back; none is no error.
func (Choices) Clear(tx *store.Tx, k Key) error {
	if _, err := tx.Exec(`DELETE FROM agent_modes WHERE agent = $1 AND owner = $2 AND session = $3`, k.Agent, k.Owner, k.Session); err != nil {
		return fmt.Errorf("reset the mode of agent %s in %s: %w", k.Agent, k.Session, err)
	}
	return nil
}
