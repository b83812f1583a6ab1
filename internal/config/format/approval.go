package format

// MaxReason is the longest reason of a denial, in characters.
const MaxReason = 500

var days = Shape{Kind: Number, Min: bound(0), Over: true, Max: bound(36500)}

var approval = &Object{
	Name: "tool_approval",
	Doc:  "Which tool calls a person is asked about. It applies to every call as the file stands then.",
	Keys: []Key{
		{Name: "default", Shape: words("auto_approve", "require_approval"), Default: "auto_approve", Doc: "For calls that no rule matches."},
		{Name: "timeout_days", Shape: days, Default: 7.0, Doc: "Days that a question waits."},
		{Name: "rules", Shape: listOf(fixed(approvalRule)), Doc: "The first rule that matches decides."},
	},
}

var approvalRule = &Object{
	Name:      "tool_approval.rules[]",
	Doc:       "One rule: what is done with calls of matching functions.",
	Exclusive: [][2]string{{"action", "script"}},
	Any:       []string{"action", "script"},
	Keys: []Key{
		{Name: "match", Shape: filled, Required: true, Doc: "A shell pattern over the function's name; * matches every function."},
		{Name: "action", Shape: words("auto_approve", "require_approval", "deny"), Doc: "What is done."},
		{Name: "script", Shape: filled, Doc: "A Python (.py) or Starlark (.star) file that decides: check(tool_name, arguments, agent_name) is True where a person must be asked."},
		{Name: "reason", Shape: anyText, Doc: "Beside action: deny, what the caller is told; at most 500 characters."},
		{Name: "timeout_days", Shape: days, Doc: "Days that a question waits; absent: as tool_approval.timeout_days."},
	},
}
