package media

import "mindroom/internal/store"

// Schema is the tables of this package. An attachment without a digest is one
// whose file can never be had, and problem says why.
var Schema = store.Schema{Name: "media", Steps: []string{
	`CREATE TABLE media_files (
		digest TEXT PRIMARY KEY,
		size BIGINT NOT NULL,
		put_at TEXT NOT NULL
	);
	CREATE TABLE media_attachments (
		attachment_id TEXT PRIMARY KEY,
		owner_kind TEXT NOT NULL,
		owner TEXT NOT NULL,
		room_id TEXT NOT NULL,
		thread_root TEXT NOT NULL,
		requester TEXT NOT NULL,
		digest TEXT REFERENCES media_files (digest),
		mime TEXT NOT NULL,
		name TEXT NOT NULL,
		size BIGINT NOT NULL,
		problem TEXT NOT NULL,
		created_at TEXT NOT NULL
	);
	CREATE INDEX media_attachments_digest ON media_attachments (digest);
	CREATE INDEX media_attachments_age ON media_attachments (created_at)`,
	`CREATE INDEX media_attachments_room ON media_attachments (room_id, created_at)`,
}}
