package approval

import "mindroom/internal/store"

// Schema holds the cards. A card is keyed by its call, never by its event: the
// event may be sent twice, the call exists once. What the card shows is in the
// row, so that its end can be shown without the call.
var Schema = store.Schema{Name: "approval", Steps: []string{
	`CREATE TABLE approval_cards (
		card_id TEXT PRIMARY KEY,
		seq BIGINT NOT NULL UNIQUE,
		door TEXT NOT NULL,
		owner TEXT NOT NULL,
		call_id TEXT NOT NULL,
		toolkit TEXT NOT NULL,
		function TEXT NOT NULL,
		agent TEXT NOT NULL,
		requester TEXT NOT NULL,
		account TEXT NOT NULL,
		room_id TEXT NOT NULL,
		thread_root TEXT NOT NULL,
		digest TEXT NOT NULL,
		rule TEXT NOT NULL,
		arguments TEXT NOT NULL,
		approvable INTEGER NOT NULL,
		state TEXT NOT NULL,
		decided_by TEXT NOT NULL,
		reason TEXT NOT NULL,
		requested_at TEXT NOT NULL,
		expires_at TEXT NOT NULL,
		decided_at TEXT NOT NULL,
		UNIQUE (door, owner, call_id)
	)`,
	`CREATE INDEX approval_pending ON approval_cards (seq) WHERE state = 'pending'`,
	`CREATE INDEX approval_decided ON approval_cards (decided_at) WHERE state <> 'pending'`,
	// The settings that the call was asked under, and the file with its whole
	// arguments (a media.Ref, or nothing).
	`ALTER TABLE approval_cards ADD COLUMN depends TEXT NOT NULL DEFAULT '';
	ALTER TABLE approval_cards ADD COLUMN file TEXT NOT NULL DEFAULT ''`,
}}
