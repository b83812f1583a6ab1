package chat

import "mindroom/internal/store"

// Schema is the tables of this package.
var Schema = store.Schema{Name: "chat", Steps: []string{
	`CREATE TABLE chat_sync (
		account TEXT PRIMARY KEY,
		next_batch TEXT NOT NULL,
		updated_at TEXT NOT NULL
	);
	CREATE TABLE chat_events (
		seq BIGINT PRIMARY KEY,
		account TEXT NOT NULL,
		event_id TEXT NOT NULL,
		room_id TEXT NOT NULL,
		sender TEXT NOT NULL,
		type TEXT NOT NULL,
		origin_ts BIGINT NOT NULL,
		order_ts BIGINT NOT NULL,
		content TEXT NOT NULL,
		thread_root TEXT NOT NULL,
		replaces TEXT NOT NULL,
		redacts TEXT NOT NULL,
		redacted BOOLEAN NOT NULL,
		live BOOLEAN NOT NULL,
		state TEXT NOT NULL,
		recorded_at TEXT NOT NULL,
		UNIQUE (account, event_id)
	);
	CREATE INDEX chat_events_new ON chat_events (account, seq) WHERE state = 'new';
	CREATE INDEX chat_events_history ON chat_events (account, room_id, thread_root, order_ts, seq);
	CREATE INDEX chat_events_edits ON chat_events (account, replaces) WHERE replaces <> '';
	CREATE INDEX chat_events_redactions ON chat_events (account, redacts) WHERE redacts <> '';
	CREATE TABLE chat_deliveries (
		id TEXT PRIMARY KEY,
		seq BIGINT NOT NULL UNIQUE,
		account TEXT NOT NULL,
		room_id TEXT NOT NULL,
		thread_root TEXT NOT NULL,
		kind TEXT NOT NULL,
		type TEXT NOT NULL,
		content TEXT NOT NULL,
		target_delivery TEXT NOT NULL,
		target_event TEXT NOT NULL,
		progress BOOLEAN NOT NULL,
		txn_id TEXT NOT NULL UNIQUE,
		state TEXT NOT NULL,
		event_id TEXT NOT NULL,
		attempts BIGINT NOT NULL,
		next_attempt TEXT NOT NULL,
		error_kind TEXT NOT NULL,
		created_at TEXT NOT NULL,
		updated_at TEXT NOT NULL
	);
	CREATE INDEX chat_deliveries_active ON chat_deliveries (account, room_id, seq) WHERE state IN ('queued', 'sending');
	CREATE INDEX chat_deliveries_sending ON chat_deliveries (seq) WHERE state = 'sending';
	CREATE INDEX chat_deliveries_edits ON chat_deliveries (account, target_delivery, target_event) WHERE kind = 'edit';
	CREATE TABLE chat_copies (
		account TEXT NOT NULL,
		event_id TEXT NOT NULL,
		delivery_id TEXT NOT NULL REFERENCES chat_deliveries (id),
		PRIMARY KEY (account, event_id)
	)`,
	`CREATE INDEX chat_events_held ON chat_events (account, seq) WHERE state = 'held'`,
	// A file that a message carries, and where it was uploaded to.
	`ALTER TABLE chat_deliveries ADD COLUMN attach TEXT NOT NULL DEFAULT '';
	ALTER TABLE chat_deliveries ADD COLUMN uploaded TEXT NOT NULL DEFAULT '';
	CREATE INDEX chat_deliveries_attached ON chat_deliveries (seq) WHERE attach <> '' AND state IN ('queued', 'sending')`,
	// What guards the events that retention deleted, and what a restored database
	// has to be told; see prune.go and restored.go.
	`CREATE TABLE chat_pruned (
		account TEXT NOT NULL,
		room_id TEXT NOT NULL,
		through_ts BIGINT NOT NULL,
		PRIMARY KEY (account, room_id)
	);
	CREATE INDEX chat_copies_delivery ON chat_copies (delivery_id);
	ALTER TABLE chat_sync ADD COLUMN restored_ts BIGINT NOT NULL DEFAULT 0`,
}}
