package dynamictools

import (
	"fmt"

	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/store"
)

// maxConversations is how many conversations of one agent are remembered; in those
// changed longest ago everything is as at the start again.
const maxConversations = 1000

// Schema holds what was loaded (1) and unloaded (0); owner is the requester of a
// private agent and empty for any other, changed_at a clock.Stamp.
var Schema = store.Schema{Name: "dynamic_tools", Steps: []string{
	`CREATE TABLE loaded_toolkits (
		agent TEXT NOT NULL,
		owner TEXT NOT NULL,
		session TEXT NOT NULL,
		toolkit TEXT NOT NULL,
		loaded INTEGER NOT NULL,
		changed_at TEXT NOT NULL,
		PRIMARY KEY (agent, owner, session, toolkit)
	)`,
}}

// key is the conversation of an agent, as far as loading is concerned.
type key struct{ agent, owner, session string }

func keyFor(snap *config.Snapshot, who identity.Execution) key {
	k := key{agent: who.Agent, session: who.Session}
	if a := snap.Config.Agents[who.Agent]; a != nil && a.Private != nil {
		k.owner = who.Requester
	}
	return k
}

// Loaded is what was loaded and unloaded in a conversation (tool.Surface.With); nil
// where nothing was.
func Loaded(q store.Queryer, snap *config.Snapshot, who identity.Execution) (map[string]bool, error) {
	k := keyFor(snap, who)
	var all map[string]bool
	err := store.Each(q, func(rows *store.Rows) error {
		var toolkit string
		var loaded int
		if err := rows.Scan(&toolkit, &loaded); err != nil {
			return err
		}
		if all == nil {
			all = map[string]bool{}
		}
		all[toolkit] = loaded != 0
		return nil
	}, `SELECT toolkit, loaded FROM loaded_toolkits WHERE agent = $1 AND owner = $2 AND session = $3`, k.agent, k.owner, k.session)
	if err != nil {
		return nil, fmt.Errorf("read the loaded tools of agent %s: %w", k.agent, err)
	}
	return all, nil
}

// set records that a toolkit is loaded or not.
func set(tx *store.Tx, k key, toolkit string, loaded bool, wall clock.Wall) error {
	n := 0
	if loaded {
		n = 1
	}
	_, err := tx.Exec(`INSERT INTO loaded_toolkits (agent, owner, session, toolkit, loaded, changed_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (agent, owner, session, toolkit) DO UPDATE SET loaded = excluded.loaded, changed_at = excluded.changed_at`,
		k.agent, k.owner, k.session, toolkit, n, wall.Stamp())
	if err != nil {
		return fmt.Errorf("load %s for agent %s: %w", toolkit, k.agent, err)
	}
	_, err = tx.Exec(`DELETE FROM loaded_toolkits WHERE agent = $1 AND session NOT IN (
			SELECT session FROM loaded_toolkits WHERE agent = $1 GROUP BY session ORDER BY MAX(changed_at) DESC, session LIMIT $2)`, k.agent, maxConversations)
	if err != nil {
		return fmt.Errorf("forget the oldest loaded tools of agent %s: %w", k.agent, err)
	}
	return nil
}
