package format

// Modes in which an agent answers.
var threadModes = words("thread", "room")

// scopes say who shares a worker and its state.
var scopes = words("shared", "user", "user_agent")

var history = [2]string{"num_history_runs", "num_history_messages"}

var agent = &Object{
	Name:      "agents.*",
	Doc:       "One agent.",
	Exclusive: [][2]string{history, {"private", "worker_scope"}},
	Keys: append(append([]Key{
		{Name: "display_name", Shape: filled, Required: true, Doc: "What people see."},
		{Name: "role", Shape: anyText, Default: "", Doc: "What the agent is for, in a sentence or two."},
		{Name: "model", Shape: form(ModelRef), Default: "default", Doc: "A key of models."},
		{Name: "rooms", Shape: set(Room), Doc: "Rooms it lives in: keys of managed rooms, or aliases and ids of others."},
		{Name: "tools", Shape: Shape{Kind: Tools, Defer: true}, Doc: "Its toolkits, each as a name, as a name with its settings under it, or in the long form."},
		{Name: "include_default_tools", Shape: boolean, Default: true, Doc: "Also the toolkits of defaults.tools."},
		{Name: "instructions", Shape: texts, Doc: "Sentences for its prompt."},
		{Name: "minimal_instructions", Shape: texts, Doc: "Sentences for the prompt of a minimal request."},
		{Name: "context_files", Shape: set(Below), Doc: "Text files of its workspace that every prompt holds, in this order; a minimal prompt names them. One that is not there is left out."},
		{Name: "skills", Shape: set(Skill), Doc: "Skills it has: names of folders in `skills/` beside this file, each with a SKILL.md."},
		{Name: "thread_mode", Shape: threadModes, Default: "thread", Doc: "Where it answers: in a thread of its own, or in the room itself. A room's own choice, `!thread_mode`, comes first."},
		{Name: "room_thread_modes", Shape: mapping(RoomRef, threadModes), Doc: "The mode in single rooms."},
		{Name: "accept_invites", Shape: boolean, Default: true, Doc: "Joins a room when somebody invites it who may talk there."},
		{Name: "show_tool_calls", Shape: boolean, Doc: "A line in the answer for each tool call; absent: as defaults."},
		{Name: "num_history_runs", Shape: atLeast(1), Doc: "How many past answers the model reads, with what led to them; absent: as defaults."},
		{Name: "num_history_messages", Shape: atLeast(1), Doc: "How many past messages the model reads; absent: as defaults."},
		{Name: "max_tool_calls_per_turn", Shape: atLeast(1), Doc: "Tool calls of one answer, and as many again through mindroom-agent; absent: as defaults."},
		{Name: "delegate_to", Shape: set(AgentRef), Doc: "Agents it may hand work to; its own name lets it start copies of itself."},
		{Name: "background_jobs", Shape: boolean, Doc: "Its subagents and commands may outlive the call that started them; absent: as defaults."},
		{Name: "memory_backend", Shape: memoryBackends, Doc: "Where it keeps what it should remember; absent: as memory."},
		{Name: "worker_scope", Shape: scopes, Doc: "Who shares its worker; absent: as defaults."},
		{Name: "worker_tools", Shape: set(Toolkit), Doc: "Toolkits that run in a worker; absent: as defaults."},
		{Name: "private", Shape: fixed(private), Doc: "One state for each requester."},
	}, idle(
		Key{Name: "memory_search", Shape: fixed(memorySearch), Doc: "How its memory is searched; absent: as memory.search."},
		Key{Name: "markdown", Shape: boolean, Doc: "Answers are Markdown; absent: as defaults."},
		Key{Name: "learning", Shape: boolean, Doc: "Learns from conversations; absent: as defaults."},
		Key{Name: "learning_mode", Shape: learningModes, Doc: "When it learns; absent: as defaults."},
		Key{Name: "compress_tool_results", Shape: boolean, Doc: "Long results are shortened by the model; absent: as defaults."},
		Key{Name: "max_tool_calls_from_history", Shape: atLeast(0), Doc: "Past tool calls the model reads; absent: as defaults."},
		Key{Name: "compaction", Shape: fixed(compaction), Doc: "When a long conversation is summarised; lies over defaults.compaction."},
		Key{Name: "knowledge_bases", Shape: set(Entity), Doc: "Keys of knowledge_bases it may search."},
		Key{Name: "allow_self_config", Shape: boolean, Doc: "May change its own entry of this file; absent: as defaults."},
	)...), removedAgentKeys...),
}

var removedAgentKeys = []Key{
	{Name: "knowledge_base", Removed: "write knowledge_bases, a list"},
	{Name: "memory_dir", Removed: "write memory_backend: file"},
	{Name: "memory_file_path", Removed: "write memory_backend: file"},
	{Name: "sandbox_tools", Removed: "write worker_tools"},
	{Name: "allowed_toolkits", Removed: "list the toolkits under tools"},
	{Name: "initial_toolkits", Removed: "list the toolkits under tools, with defer: true and initial: true"},
}

var private = &Object{
	Name: "agents.*.private",
	Doc:  "Makes an agent keep one state for each requester.",
	Keys: append([]Key{
		{Name: "per", Shape: words("user", "user_agent"), Required: true, Doc: "One state a requester, or one a requester and agent."},
		{Name: "root", Shape: form(Below), Doc: "Folder below the requester's state; absent: the agent's name and _data."},
		{Name: "context_files", Shape: set(Below), Doc: "Text files of each requester's workspace that every prompt holds, after the agent's own context_files."},
	}, idle(
		Key{Name: "template_dir", Shape: filled, Doc: "Folder whose files are copied into a new state."},
		Key{Name: "knowledge", Shape: fixed(privateKnowledge), Doc: "A knowledge base of the requester's own."},
	)...),
}

var privateKnowledge = &Object{
	Name: "agents.*.private.knowledge",
	Doc:  "A knowledge base of the requester's own.",
	Keys: []Key{
		{Name: "enabled", Shape: boolean, Default: true, Doc: "Whether there is one."},
		{Name: "description", Shape: anyText, Doc: "What is in it."},
		{Name: "path", Shape: form(Below), Doc: "Its folder, below the private root."},
		{Name: "watch", Shape: boolean, Default: true, Doc: "Reads files again when they change."},
		{Name: "chunk_size", Shape: atLeast(128), Default: 5000, Doc: "Characters of one piece."},
		{Name: "chunk_overlap", Shape: atLeast(0), Default: 0, Doc: "Characters that a piece repeats of the one before."},
		{Name: "git", Shape: mapping(Plain, free), Doc: "A repository its files come from."},
	},
}

var team = &Object{
	Name:      "teams.*",
	Doc:       "Agents that answer together.",
	Exclusive: [][2]string{history},
	Keys: []Key{
		{Name: "display_name", Shape: filled, Required: true, Doc: "What people see."},
		{Name: "role", Shape: anyText, Required: true, Doc: "What the team is for."},
		{Name: "agents", Shape: set(AgentRef), Required: true, Doc: "Its members; no private agent may be one."},
		{Name: "rooms", Shape: set(Room), Doc: "Rooms it lives in."},
		{Name: "model", Shape: form(ModelRef), Default: "default", Doc: "A key of models."},
		{Name: "mode", Shape: words("coordinate", "collaborate"), Default: "coordinate", Doc: "A leader hands out work, or every member answers and the leader joins the answers."},
		{Name: "compaction", Shape: fixed(compaction), Doc: "When a long conversation is summarised; lies over defaults.compaction."},
		{Name: "num_history_runs", Shape: atLeast(1), Doc: "How many past answers the model reads; absent: as defaults."},
		{Name: "num_history_messages", Shape: atLeast(1), Doc: "How many past messages the model reads; absent: as defaults."},
		{Name: "max_tool_calls_from_history", Shape: atLeast(0), Doc: "Past tool calls the model reads; absent: as defaults."},
	},
}
