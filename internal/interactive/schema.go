package interactive

import "mindroom/internal/store"

// Schema holds the questions. A question is keyed by the turn that asked it: an
// answer asks at most one. chosen counts options from 0 and is -1 without a
// choice; chosen_by_event is the reaction or message that chose.
var Schema = store.Schema{Name: "interactive", Steps: []string{
	`CREATE TABLE interactive_questions (
		turn_id TEXT PRIMARY KEY,
		seq BIGINT NOT NULL UNIQUE,
		agent TEXT NOT NULL,
		requester TEXT NOT NULL,
		account TEXT NOT NULL,
		room_id TEXT NOT NULL,
		thread_root TEXT NOT NULL,
		message_delivery TEXT NOT NULL UNIQUE,
		identity TEXT NOT NULL,
		question TEXT NOT NULL,
		state TEXT NOT NULL,
		chosen BIGINT NOT NULL,
		chosen_by_event TEXT NOT NULL,
		asked_at TEXT NOT NULL,
		ended_at TEXT NOT NULL
	)`,
	`CREATE UNIQUE INDEX interactive_open ON interactive_questions (room_id, thread_root, requester, agent) WHERE state = 'open'`,
	`CREATE INDEX interactive_chosen ON interactive_questions (chosen_by_event) WHERE chosen_by_event <> ''`,
}}
