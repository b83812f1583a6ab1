package command

import (
	"context"
	"fmt"
	"sync"

	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/store"
)

// Modes are the thread modes that rooms chose for all their agents, over what
// the configuration says. They are durable; reading costs no query.
type Modes struct {
	db   *store.DB
	wall clock.Wall

	mu  sync.RWMutex
	all map[string]config.ThreadMode
}

// OpenModes reads what was chosen. db must have Schema; make one a database.
func OpenModes(ctx context.Context, db *store.DB, wall clock.Wall) (*Modes, error) {
	m := &Modes{db: db, wall: wall}
	err := db.Read(ctx, func(q *store.Reader) error {
		m.all = map[string]config.ThreadMode{}
		return store.Each(q, func(rows *store.Rows) error {
			var room string
			var mode config.ThreadMode
			err := rows.Scan(&room, &mode)
			m.all[room] = mode
			return err
		}, `SELECT room_id, mode FROM command_thread_modes`)
	})
	if err != nil {
		return nil, fmt.Errorf("read the thread modes of rooms: %w", err)
	}
	return m, nil
}

// Of is a room's choice; false when it has none.
func (m *Modes) Of(room string) (config.ThreadMode, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	mode, ok := m.all[room]
	return mode, ok
}

// Set makes a choice for a room; by is who made it. It holds from the moment
// that it is durable.
func (m *Modes) Set(ctx context.Context, room string, mode config.ThreadMode, by string) error {
	err := m.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO command_thread_modes (room_id, mode, set_by, set_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (room_id) DO UPDATE SET mode = excluded.mode, set_by = excluded.set_by, set_at = excluded.set_at`,
			room, string(mode), by, m.wall.Stamp())
		tx.AfterCommit(func() { m.remember(room, mode) })
		return err
	})
	if err != nil {
		return fmt.Errorf("set the thread mode of %s: %w", room, err)
	}
	return nil
}

// Reset takes a room's choice back; none is no error.
func (m *Modes) Reset(ctx context.Context, room string) error {
	err := m.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`DELETE FROM command_thread_modes WHERE room_id = $1`, room)
		tx.AfterCommit(func() { m.remember(room, "") })
		return err
	})
	if err != nil {
		return fmt.Errorf("reset the thread mode of %s: %w", room, err)
	}
	return nil
}

func (m *Modes) remember(room string, mode config.ThreadMode) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mode == "" {
		delete(m.all, room)
		return
	}
	m.all[room] = mode
}
