package command

import "mindroom/internal/store"

// Schema holds commands, the rooms' own thread modes, and which rooms were
// welcomed or found not to be empty. seq is the order of acceptance.
var Schema = store.Schema{Name: "command", Steps: []string{
	`CREATE TABLE commands (
		event_id TEXT PRIMARY KEY,
		seq BIGINT NOT NULL UNIQUE,
		room_id TEXT NOT NULL,
		thread_root TEXT NOT NULL,
		account TEXT NOT NULL,
		entity TEXT NOT NULL,
		sender TEXT NOT NULL,
		person TEXT NOT NULL,
		said TEXT NOT NULL,
		spoken BOOLEAN NOT NULL,
		state TEXT NOT NULL,
		created_at TEXT NOT NULL,
		changed_at TEXT NOT NULL
	)`,
	`CREATE INDEX commands_open ON commands (seq) WHERE state IN ('accepted', 'begun')`,
	`CREATE TABLE command_thread_modes (
		room_id TEXT PRIMARY KEY,
		mode TEXT NOT NULL,
		set_by TEXT NOT NULL,
		set_at TEXT NOT NULL
	)`,
	`CREATE TABLE command_welcomes (
		room_id TEXT PRIMARY KEY,
		posted BOOLEAN NOT NULL,
		decided_at TEXT NOT NULL
	)`,
}}
