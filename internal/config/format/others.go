package format

// otherSections are root keys of the format that this version checks and does nothing with. A section whose keys the format
// does not list is free.
var otherSections = []Key{
	{Name: "room_thread_summary_models", Shape: mapping(RoomRef, form(ModelRef)), Doc: "The model that names threads in a room."},
	{Name: "matrix_space", Shape: fixed(&Object{Name: "matrix_space", Doc: "The space that holds managed rooms.", Keys: []Key{
		{Name: "enabled", Shape: boolean, Default: true, Doc: "Whether there is one."},
		{Name: "name", Shape: filled, Default: "MindRoom", Doc: "Its name."},
	}}), Doc: "The space that holds managed rooms."},
	{Name: "matrix_sync", Shape: fixed(&Object{Name: "matrix_sync", Doc: "How events are fetched.", Keys: []Key{
		{Name: "mode", Shape: words("classic", "sliding"), Default: "classic", Doc: "Which protocol; classic is used always."},
		{Name: "sliding_timeline_limit", Shape: atLeast(1), Default: 100, Doc: "Events a room of the first answer."},
	}}), Doc: "How events are fetched."},
	{Name: "prompts", Shape: mapping(Variable, anyText), Doc: "Texts in the place of built-in prompts, by name in capitals."},
	{Name: "event_journal", Shape: fixed(&Object{Name: "event_journal", Doc: "Where events are kept until they are handled.", Keys: []Key{
		{Name: "backend", Shape: words("sqlite", "postgres"), Default: "sqlite", Doc: "Which database; sqlite is used always."},
		{Name: "database_url", Shape: anyText, Doc: "Its address."},
		{Name: "database_url_env", Shape: form(Variable), Default: "MINDROOM_EVENT_CACHE_DATABASE_URL", Doc: "The variable that holds its address."},
	}}), Doc: "Where events are kept until they are handled."},
	{Name: "debug", Shape: fixed(&Object{Name: "debug", Doc: "For finding faults.", Keys: []Key{
		{Name: "log_llm_requests", Shape: boolean, Default: false, Doc: "Requests to models are written to files."},
		{Name: "llm_request_log_dir", Shape: filled, Doc: "Their folder."},
	}}), Doc: "For finding faults."},
	{Name: "plugins", Shape: listOf(Shape{Kind: Fixed, Short: &filled, Object: &Object{Name: "plugins[]", Doc: "A Python plugin.", Keys: []Key{
		{Name: "path", Shape: filled, Required: true, Doc: "Its folder or file."},
		{Name: "enabled", Shape: boolean, Default: true, Doc: "Whether it is loaded."},
		{Name: "settings", Shape: mapping(Plain, free), Doc: "What it is told."},
		{Name: "hooks", Shape: free, Doc: "Which hooks it gets."},
	}}}), Doc: "Python plugins; the short form is the path."},
	{Name: "knowledge_bases", Shape: mapping(Entity, mapping(Plain, free)), Doc: "Knowledge bases by name."},
	{Name: "cultures", Shape: mapping(Entity, fixed(&Object{Name: "cultures.*", Doc: "What several agents learn together.", Keys: []Key{
		{Name: "description", Shape: anyText, Doc: "What it is about."},
		{Name: "agents", Shape: set(AgentRef), Doc: "Who belongs to it; an agent belongs to one at most."},
		{Name: "mode", Shape: words("automatic", "agentic", "manual"), Doc: "When it is written down."},
	}})), Doc: "What several agents learn together, by name."},
	{Name: "voice", Shape: free, Doc: "Voice messages."},
	{Name: "calls", Shape: free, Doc: "Voice calls."},
	{Name: "external_trigger_policy", Shape: free, Doc: "Who may wake agents from outside."},
}
