package turn

import "mindroom/internal/store"

// Schema holds turns and the calls of their open batches. seq is the order of
// creation, which is the order of answering within one conversation. cancel_by
// is an intent: it stands before anything is done about it. attempts counts
// starts since the last progress, so that a turn which ends the process does
// not do so for ever. turn_waits are calls that a command of the open batch made
// and that wait for a person; begun ones are never made again.
var Schema = store.Schema{Name: "turn", Steps: []string{
	`CREATE TABLE turns (
		turn_id TEXT PRIMARY KEY,
		seq BIGINT NOT NULL UNIQUE,
		agent TEXT NOT NULL,
		account TEXT NOT NULL,
		conversation TEXT NOT NULL,
		room_id TEXT NOT NULL,
		thread_root TEXT NOT NULL,
		trigger_event TEXT NOT NULL,
		identity TEXT NOT NULL,
		depth BIGINT NOT NULL,
		state TEXT NOT NULL,
		reason TEXT NOT NULL,
		cancel_by TEXT NOT NULL,
		attempts BIGINT NOT NULL,
		checkpoint TEXT NOT NULL,
		created_at TEXT NOT NULL,
		changed_at TEXT NOT NULL,
		UNIQUE (agent, trigger_event)
	)`,
	`CREATE INDEX turns_live ON turns (seq) WHERE state IN ('clean', 'dirty', 'parked', 'ready', 'claimed')`,
	`CREATE INDEX turns_conversation ON turns (agent, conversation, seq)`,
	`CREATE TABLE turn_calls (
		turn_id TEXT NOT NULL REFERENCES turns (turn_id) ON DELETE CASCADE,
		ref TEXT NOT NULL,
		outcome TEXT NOT NULL,
		PRIMARY KEY (turn_id, ref)
	)`,
	`CREATE TABLE turn_waits (
		turn_id TEXT NOT NULL REFERENCES turns (turn_id) ON DELETE CASCADE,
		call_id TEXT NOT NULL,
		seq BIGINT NOT NULL,
		parent TEXT NOT NULL,
		toolkit TEXT NOT NULL,
		function TEXT NOT NULL,
		arguments TEXT NOT NULL,
		begun BOOLEAN NOT NULL,
		PRIMARY KEY (turn_id, call_id)
	)`,
	subagentTables,
}}
