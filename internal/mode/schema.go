package mode

import "mindroom/internal/store"

// Schema holds the choices that are not the default. set_by is the Matrix id of who
// made it, set_at a clock.Stamp.
var Schema = store.Schema{Name: "mode", Steps: []string{
	`CREATE TABLE agent_modes (
		agent TEXT NOT NULL,
		owner TEXT NOT NULL,
		session TEXT NOT NULL,
		mode TEXT NOT NULL,
		set_by TEXT NOT NULL,
		set_at TEXT NOT NULL,
		PRIMARY KEY (agent, owner, session)
	)`,
}}
