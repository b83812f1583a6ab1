package format

var memoryBackends = words("file", "none", "mem0")

var memoryShape = Shape{Kind: Fixed, Object: memory, Short: &memoryBackends}

var memory = &Object{
	Name: "memory",
	Doc:  "Where agents keep what they should remember.",
	Keys: append([]Key{
		{Name: "backend", Shape: memoryBackends, Default: "none", Doc: "Files of the workspace, or nothing; mem0 is kept in files."},
	}, idle(
		Key{Name: "team_reads_member_memory", Shape: boolean, Default: false, Doc: "Teams read what their members remember."},
		Key{Name: "file", Shape: fixed(&Object{
			Name: "memory.file",
			Doc:  "Memory in files.",
			Keys: []Key{
				{Name: "path", Shape: filled, Doc: "Its folder; absent: the agent's workspace."},
				{Name: "max_entrypoint_lines", Shape: atLeast(1), Default: 200, Doc: "Lines of MEMORY.md in a prompt."},
			},
		}), Doc: "Memory in files."},
		Key{Name: "search", Shape: fixed(memorySearch), Doc: "How memory is searched."},
		Key{Name: "embedder", Shape: fixed(embedder), Doc: "What turns text into vectors."},
		Key{Name: "llm", Shape: mapping(Plain, free), Doc: "The model that mem0 uses."},
		Key{Name: "auto_flush", Shape: fixed(autoFlush), Doc: "Writes memory down while nobody talks."},
	)...),
}

var memorySearch = &Object{
	Name: "memory.search",
	Doc:  "How memory is searched.",
	Keys: []Key{
		{Name: "mode", Shape: words("keyword", "semantic"), Doc: "By words or by meaning."},
		{Name: "include", Shape: set(Filled), Default: []string{"memory/**/*.md"}, Doc: "Patterns of files that are searched."},
		{Name: "include_entrypoint", Shape: boolean, Default: false, Doc: "MEMORY.md is searched too."},
	},
}

var embedder = &Object{
	Name: "memory.embedder",
	Doc:  "What turns text into vectors.",
	Keys: []Key{
		{Name: "provider", Shape: filled, Default: "openai", Doc: "Whose it is."},
		{Name: "config", Shape: fixed(&Object{
			Name: "memory.embedder.config",
			Doc:  "Its settings.",
			Keys: []Key{
				{Name: "model", Shape: filled, Default: "text-embedding-3-small", Doc: "Its model."},
				{Name: "credentials_service", Shape: anyText, Doc: "Whose stored credentials it uses."},
				{Name: "api_key", Shape: anyText, Doc: "A key, which belongs into the environment."},
				{Name: "host", Shape: anyText, Doc: "Base address."},
				{Name: "dimensions", Shape: atLeast(1), Doc: "Length of a vector."},
			},
		}), Doc: "Its settings."},
	},
}

var autoFlush = &Object{
	Name: "memory.auto_flush",
	Doc:  "Writes memory down while nobody talks.",
	Open: true,
	Keys: []Key{
		{Name: "enabled", Shape: boolean, Default: false, Doc: "Whether it does."},
		{Name: "flush_interval_seconds", Shape: duration, Default: 1800.0, Doc: "How often it looks."},
		{Name: "idle_seconds", Shape: duration, Default: 120.0, Doc: "Silence before it writes."},
		{Name: "max_dirty_age_seconds", Shape: duration, Default: 600.0, Doc: "When it writes without silence."},
		{Name: "stale_ttl_seconds", Shape: duration, Default: 86400.0, Doc: "When unwritten talk is given up."},
		{Name: "extractor", Shape: fixed(&Object{
			Name: "memory.auto_flush.extractor",
			Doc:  "How memory is taken out of talk.",
			Open: true,
			Keys: []Key{{Name: "no_reply_token", Shape: filled, Default: "NO_REPLY", Doc: "The answer that means: nothing to remember."}},
		}), Doc: "How memory is taken out of talk."},
	},
}
