package format

var learningModes = words("always", "agentic")

var defaults = &Object{
	Name:      "defaults",
	Doc:       "What holds for every agent that does not say otherwise.",
	Exclusive: [][2]string{history},
	Keys: append(append([]Key{
		{Name: "tools", Shape: Shape{Kind: Tools}, Doc: "Toolkits of every agent, as an agent's; absent: scheduler, where the build has it."},
		{Name: "enable_streaming", Shape: boolean, Default: true, Doc: "Answers grow while the model writes."},
		{Name: "streaming", Shape: fixed(streaming), Doc: "How often a growing answer is edited."},
		{Name: "coalescing", Shape: fixed(coalescing), Doc: "Files and what is said about them right after are answered together."},
		{Name: "show_tool_calls", Shape: boolean, Default: true, Doc: "A line in the answer for each tool call."},
		{Name: "show_stop_button", Shape: boolean, Default: true, Doc: "While an answer grows, a 🛑 reaction stands under it; a person's own 🛑 there ends it."},
		{Name: "num_history_runs", Shape: atLeast(1), Doc: "How many past answers the model reads, with what led to them; absent: what fits."},
		{Name: "num_history_messages", Shape: atLeast(1), Doc: "How many past messages the model reads; absent: what fits."},
		{Name: "max_tool_calls_per_turn", Shape: atLeast(1), Doc: "Tool calls of one answer; absent: no limit."},
		{Name: "max_self_triggers", Shape: atLeast(1), Default: 8, Doc: "How often agents may trigger one another, or a script its agent, in a row after a person's message; the next time is told in the room and not answered."},
		{Name: "max_preload_chars", Shape: atLeast(1), Default: 50000, Doc: "Characters of context files in a prompt, all together; what does not fit is cut, and the prompt says so."},
		{Name: "background_jobs", Shape: boolean, Default: false, Doc: "Subagents and commands may outlive the call that started them."},
		{Name: "worker_scope", Shape: scopes, Doc: "Who shares a worker; absent: everyone who talks to the agent."},
		{Name: "worker_tools", Shape: set(Toolkit), Doc: "Toolkits that run in a worker; absent: as the worker backend says."},
	}, idle(
		Key{Name: "markdown", Shape: boolean, Default: true, Doc: "Answers are Markdown."},
		Key{Name: "auto_resume_after_restart", Shape: boolean, Default: true, Doc: "Answers that a restart interrupted go on."},
		Key{Name: "learning", Shape: boolean, Default: true, Doc: "Agents learn from conversations."},
		Key{Name: "learning_mode", Shape: learningModes, Default: "always", Doc: "When they learn."},
		Key{Name: "tool_output_auto_save_threshold_bytes", Shape: atLeast(1), Default: 51200, Doc: "A longer result goes into a file."},
		Key{Name: "compaction", Shape: fixed(compaction), Doc: "When a long conversation is summarised."},
		Key{Name: "compress_tool_results", Shape: boolean, Default: false, Doc: "Long results are shortened by the model."},
		Key{Name: "max_tool_calls_from_history", Shape: atLeast(0), Doc: "Past tool calls the model reads; absent: all that fit."},
		Key{Name: "worker_grantable_credentials", Shape: set(Filled), Doc: "Credentials a worker may be given."},
		Key{Name: "allow_self_config", Shape: boolean, Default: false, Doc: "Agents may change their own entry of this file."},
		Key{Name: "thread_summary_model", Shape: form(ModelRef), Doc: "The model that names threads."},
		Key{Name: "thread_summary_temperature", Shape: Shape{Kind: Number, Min: bound(0), Max: bound(2)}, Default: 0.2, Doc: "Its temperature."},
		Key{Name: "thread_summary_first_threshold", Shape: atLeast(1), Default: 1, Doc: "Messages before a thread is named."},
		Key{Name: "thread_summary_subsequent_interval", Shape: atLeast(1), Default: 10, Doc: "Messages before it is named again."},
	)...), Key{Name: "sandbox_tools", Removed: "write worker_tools"}),
}

var streaming = &Object{
	Name: "defaults.streaming",
	Doc:  "How often a growing answer is edited, in seconds.",
	Keys: []Key{
		{Name: "update_interval", Shape: seconds, Default: 5.0, Doc: "Between edits."},
		{Name: "min_update_interval", Shape: seconds, Default: 0.5, Doc: "Between edits at the beginning; at most update_interval."},
		{Name: "interval_ramp_seconds", Shape: seconds, Default: 15.0, Doc: "How long the one becomes the other."},
		{Name: "max_idle", Shape: seconds, Default: 2.0, Doc: "How long text is held back at most."},
	},
}

var coalescing = &Object{
	Name: "defaults.coalescing",
	Doc:  "Files and what is said about them right after are answered together.",
	Keys: []Key{{Name: "debounce_ms", Shape: atLeast(0), Default: 1000, Doc: "Milliseconds for which a file without a caption waits for the next message of its sender, another file included; 0: it is answered by itself."}},
}

var compaction = &Object{
	Name:      "defaults.compaction",
	Doc:       "When a long conversation is summarised.",
	Exclusive: [][2]string{{"threshold_tokens", "threshold_percent"}},
	Keys: []Key{
		{Name: "enabled", Shape: boolean, Default: true, Doc: "Whether it is."},
		{Name: "threshold_tokens", Shape: atLeast(1), Doc: "Tokens at which it is."},
		{Name: "threshold_percent", Shape: Shape{Kind: Number, Min: bound(0), Over: true, Max: bound(1)}, Doc: "Part of the context window at which it is, from 0 to 1; absent: 0.8."},
		{Name: "replay_window_tokens", Shape: atLeast(1), Doc: "Tokens of the newest messages that stay as they are."},
		{Name: "reserve_tokens", Shape: atLeast(0), Default: 16384, Doc: "Tokens kept free for the answer."},
		{Name: "model", Shape: form(WindowRef), Doc: "The model that summarises; it needs a context_window."},
		{Name: "fallback_model", Shape: form(WindowRef), Doc: "The model that does it when the first cannot; it needs a context_window."},
		{Name: "timeout_seconds", Shape: Shape{Kind: Number, Min: bound(0), Over: true}, Default: 600.0, Doc: "How long it may take."},
	},
}
