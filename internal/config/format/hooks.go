package format

// What the keys of a hook may say; package hooks runs them.
const (
	BeforeCall = "tool:before_call"
	AfterCall  = "tool:after_call"
)

var toolHook = &Object{
	Name:      "tool_hooks[]",
	Doc:       "One program or web address that is asked before, or told after, tool calls of every door.",
	Exclusive: [][2]string{{"run", "url"}},
	Any:       []string{"run", "url"},
	Keys: []Key{
		{Name: "name", Shape: filled, Doc: "What refusals and logs call it; absent: the program's name, or the address's host and path."},
		{Name: "event", Shape: words(BeforeCall, AfterCall), Required: true, Doc: "When: before a call runs, where the answer may deny it, or after it ended, where nothing can be changed."},
		{Name: "match", Shape: set(Filled), Default: []string{"*"}, Doc: "Shell patterns over the function's name; one that matches is enough."},
		{Name: "run", Shape: listOf(filled), Doc: "A program and its arguments. One with a slash is relative to this file; another is searched in PATH."},
		{Name: "url", Shape: filled, Doc: "An http or https address that gets a POST."},
		{Name: "timeout_seconds", Shape: hookSeconds, Default: 5.0, Doc: "Seconds it may take, waiting for its turn included."},
		{Name: "on_error", Shape: words("deny", "allow"), Default: "deny", Doc: "Beside event: tool:before_call, what becomes of a call when no answer came."},
		{Name: "secret_env", Shape: form(Variable), Doc: "Beside url, the variable that holds a secret with which requests are signed."},
	},
}

var hookSeconds = Shape{Kind: Number, Min: bound(0), Over: true, Max: bound(60)}
