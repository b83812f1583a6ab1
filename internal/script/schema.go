package script

import "mindroom/internal/store"

// Schema holds runs, their output and their calls. Output lies in a table of
// its own so that listings never read it. Instants are fixed-width text, so
// comparing text compares time.
var Schema = store.Schema{Name: "script", Steps: []string{
	`CREATE TABLE script_runs (
		run_id TEXT PRIMARY KEY,
		agent TEXT NOT NULL,
		requester TEXT NOT NULL,
		identity TEXT NOT NULL,
		name TEXT NOT NULL,
		source_digest TEXT NOT NULL,
		grants TEXT NOT NULL,
		preapprove INTEGER NOT NULL,
		unambiguous TEXT NOT NULL,
		depth INTEGER NOT NULL,
		token_hash TEXT NOT NULL UNIQUE,
		worker_key TEXT NOT NULL,
		local INTEGER NOT NULL,
		handle TEXT NOT NULL,
		max_calls_per_minute INTEGER NOT NULL,
		max_runtime_seconds INTEGER NOT NULL,
		protocol INTEGER NOT NULL,
		state TEXT NOT NULL,
		created_at TEXT NOT NULL,
		started_at TEXT NOT NULL,
		finished_at TEXT NOT NULL,
		exit_code INTEGER,
		exit_signal TEXT NOT NULL,
		error TEXT NOT NULL,
		cancel_at TEXT NOT NULL,
		reason TEXT NOT NULL,
		containment TEXT NOT NULL,
		nonterminal INTEGER NOT NULL
	)`,
	`CREATE INDEX script_runs_owner ON script_runs (requester, agent, created_at, run_id)`,
	`CREATE INDEX script_runs_live ON script_runs (run_id) WHERE nonterminal = 1`,
	`CREATE INDEX script_runs_finished ON script_runs (finished_at) WHERE nonterminal = 0`,
	`CREATE TABLE script_outputs (
		run_id TEXT PRIMARY KEY REFERENCES script_runs (run_id) ON DELETE CASCADE,
		output TEXT NOT NULL
	)`,
	`CREATE TABLE script_calls (
		run_id TEXT NOT NULL REFERENCES script_runs (run_id) ON DELETE CASCADE,
		call_id TEXT NOT NULL,
		toolkit TEXT NOT NULL,
		function TEXT NOT NULL,
		digest TEXT NOT NULL,
		state TEXT NOT NULL,
		begun INTEGER NOT NULL,
		result TEXT,
		fault TEXT,
		created_at TEXT NOT NULL,
		ended_at TEXT NOT NULL,
		PRIMARY KEY (run_id, call_id)
	)`,
	`CREATE INDEX script_calls_recent ON script_calls (run_id, created_at)`,
	`CREATE INDEX script_calls_pending ON script_calls (run_id) WHERE state = 'pending'`,
	// Which call launched a run, as JSON; empty for runs from before it was kept.
	`ALTER TABLE script_runs ADD COLUMN launched_by TEXT NOT NULL DEFAULT ''`,
	// What kept the agent's requesters apart; empty for runs from before it was kept.
	`ALTER TABLE script_runs ADD COLUMN isolation TEXT NOT NULL DEFAULT ''`,
	// The events that the conversation is told of, with spaces between.
	`ALTER TABLE script_runs ADD COLUMN notify TEXT NOT NULL DEFAULT ''`,
	// The account that tells them; empty for runs from before it was kept.
	`ALTER TABLE script_runs ADD COLUMN speaker TEXT NOT NULL DEFAULT ''`,
}}
