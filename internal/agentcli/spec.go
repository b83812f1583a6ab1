package agentcli

import "time"

// spec is one command: its grammar, its help, and what it does (spec/agentcli.md 1.2).
type spec struct {
	group, action string
	// words are its operands, for help; about says what it does in one line; more goes on.
	words, about, more string
	options            []option
	// standard is an order before anything was taken from the command line.
	standard order
	take     func(o *order, s *spec, words []string) error
	run      func(c *client, o order) (document, *failure)
	examples []string
}

func (s *spec) path() string { return s.group + " " + s.action }

// waiting is how long a call is waited for unless --timeout says otherwise (C06, C07).
const waiting = 30 * time.Second

// specs are all commands, in the order of their help.
var specs = []*spec{
	{
		group: "tools", action: "list", about: "List the functions you may call, a page at a time, without their schemas.",
		more: `An item has toolkit, function and description, and where the server knows it a
one-line signature. An item with "deferred":true is a toolkit that is not loaded
yet: search or describe its functions by name. A next_cursor that is not null is
the --cursor of the next page.`,
		options: []option{cursor, limit("100")}, standard: order{limit: 100},
		take: takeNothing, run: list("tools.list"),
		examples: []string{"mindroom-agent tools list --limit 50"},
	},
	{
		group: "tools", action: "search", words: "QUERY…", about: "Find functions by what they do. Several words need no quotes.",
		options: []option{
			text("--toolkit", "NAME", "only of this toolkit", func(o *order) **string { return &o.within }),
			limit("20"),
		}, standard: order{limit: 20},
		take: takeQuery, run: search,
		examples: []string{"mindroom-agent tools search create calendar event"},
	},
	{
		group: "tools", action: "describe", words: "TOOLKIT FUNCTION", about: "Print the schema of a function's arguments and its instructions.",
		more: `A large one is a document: then the answer is {"context":{"name":…}}, and
'mindroom-agent context read NAME' reads it page by page.`,
		take: takeName, run: describe,
		examples: []string{"mindroom-agent tools describe calendar create_event", "mindroom-agent tools describe calendar.create_event"},
	},
	{
		group: "tools", action: "call", words: "TOOLKIT FUNCTION [JSON]", about: "Call a function, wait for it, and print its receipt.",
		more: `The arguments are one JSON object: the last word, or one of the three --json
options, or {} where there is none. At most 65536 bytes; long content goes by a
file in the workspace. Nothing but reading the receipt is repeated while it waits.

The receipt is {"call_id","toolkit","function","status","outcome",…}; status is
queued, running, waiting (for a person), completed, failed or cancelled.
Exit status 3 is no failure: the call goes on, and 'mindroom-agent calls wait
CALL_ID' goes on waiting. Under 'set -e' write '|| status=$?'.`,
		options: []option{
			given("--json", "JSON", "the arguments", literal),
			given("--json-file", "PATH", "the arguments are in this file", file),
			given("--json-stdin", "", "the arguments are on standard input", standardInput),
			callID, timeout,
			flag("--dry-run", "only check name and arguments; nothing is called", func(o *order) *bool { return &o.dryRun }),
			result,
		}, standard: order{timeout: waiting},
		take: takeCall, run: call,
		examples: []string{
			`mindroom-agent tools call calendar create_event '{"title":"Lunch"}'`,
			"mindroom-agent tools call calendar.create_event --json-file arguments.json --timeout 120",
			`mindroom-agent tools call website read --json '{"url":"https://example.org"}' --result | jq -r .`,
		},
	},
	{
		group: "calls", action: "get", words: "CALL_ID", about: "Print the receipt of a call as it is now.",
		options: []option{result}, take: takeCallID, run: get,
		examples: []string{"mindroom-agent calls get 0b0c0e7e-6d0e-4b52-9a57-0f6c2d6f7a11"},
	},
	{
		group: "calls", action: "wait", words: "CALL_ID", about: "Wait while a call is queued, running or waiting; print its receipt.",
		more: `It ends with 3 when the time is over and the call is not; wait again then. Do not
write 'mindroom-agent tools call … && mindroom-agent calls wait …': a pending call
ends with 3, and && would skip the wait.`,
		options: []option{timeout, result}, standard: order{timeout: waiting},
		take: takeCallID, run: await,
		examples: []string{"mindroom-agent calls wait 0b0c0e7e-6d0e-4b52-9a57-0f6c2d6f7a11 --timeout 300"},
	},
	{
		group: "context", action: "list", about: "List the documents you can read: your role, instructions, skills and more.",
		options: []option{cursor, limit("100")}, standard: order{limit: 100},
		take: takeNothing, run: list("context.list"),
		examples: []string{"mindroom-agent context list"},
	},
	{
		group: "context", action: "read", words: "NAME", about: "Read a document, a page at a time. NAME is from a list, never a path.",
		more: "Offset and limit count characters. A next_offset that is not null is the --offset\nof the next page.",
		options: []option{
			number("--offset", "begin behind so many characters (default 0)", func(o *order) *int64 { return &o.offset }),
			limit("8000"),
		}, standard: order{limit: 8000},
		take: takeDocument, run: read,
		examples: []string{"mindroom-agent context read interactive", "mindroom-agent context read tool-schema-1 --offset 8000 --limit 8000"},
	},
}
