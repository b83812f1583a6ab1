package format

// ServerToolkitPattern is how the toolkit of an MCP server is called: mcp_ and the server's name (spec/runtime.md 6).
const ServerToolkitPattern = `^mcp_[a-zA-Z0-9_]+$`

// The transports of an MCP server.
const (
	TransportStdio = "stdio"
	TransportHTTP  = "streamable-http"
)

var mcpServer = &Object{
	Name:      "mcp_servers.*",
	Doc:       "A server of the Model Context Protocol: a program that is run, or a web address.",
	Exclusive: [][2]string{{"command", "url"}},
	Any:       []string{"command", "url"},
	Keys: []Key{
		{Name: "enabled", Shape: boolean, Default: true, Doc: "Whether it is used; the toolkit of one that is not has no functions."},
		{Name: "transport", Shape: words(TransportStdio, TransportHTTP), Doc: "How it is spoken to; absent: stdio beside command, streamable-http beside url."},
		{Name: "command", Shape: filled, Doc: "A program. One with a slash is relative to this file; another is searched in PATH."},
		{Name: "args", Shape: texts, Doc: "Beside command, its arguments. Every user of the machine can read them: put secrets into env."},
		{Name: "cwd", Shape: filled, Doc: "Beside command, the folder it starts in; absent: this file's."},
		{Name: "env", Shape: mapping(Filled, anyText), Doc: "Beside command, its variables besides a few of the machine's; ${NAME} stands for a variable of MindRoom."},
		{Name: "url", Shape: filled, Doc: "An http or https address."},
		{Name: "headers", Shape: mapping(Filled, anyText), Doc: "Beside url, headers of every request; ${NAME} stands for a variable of MindRoom."},
		{Name: "tool_prefix", Shape: form(Entity), Doc: "What stands before each function's name, with an underscore; absent: the server's name."},
		{Name: "include_tools", Shape: set(Filled), Doc: "The server's tools that are taken, by their own names; absent: all."},
		{Name: "exclude_tools", Shape: set(Filled), Doc: "Tools that are left out, by their own names."},
		{Name: "startup_timeout_seconds", Shape: seconds, Default: 20.0, Doc: "Seconds it may take to start and to list its tools."},
		{Name: "call_timeout_seconds", Shape: seconds, Default: 120.0, Doc: "Seconds one call may take."},
	},
}
