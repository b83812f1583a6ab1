package shell

import (
	"encoding/json"
	"strings"
	"time"

	"mindroom/internal/tool"
)

// Defaults and bounds of run_shell_command's arguments.
const (
	defaultTail    = 100
	defaultTimeout = 120 * time.Second
	maxTimeout     = 24 * time.Hour
	maxCommand     = 1 << 20
)

type runArgs struct {
	Args    any      `json:"args" jsonschema:"The command: a text for Bash, or a list of a program and its arguments."`
	Tail    *int     `json:"tail,omitempty" jsonschema:"How many of the last lines of output are returned; 100 if left out."`
	Timeout *float64 `json:"timeout,omitempty" jsonschema:"Seconds to wait; after them the command goes on in the background. 120 if left out, 0 returns at once."`
}

// request is checked runArgs.
type request struct {
	script  string
	argv    []string // nil for a script
	tail    int
	timeout time.Duration
}

func (a runArgs) check() (request, *tool.Fault) {
	r := request{tail: defaultTail, timeout: defaultTimeout}
	if a.Tail != nil {
		r.tail = *a.Tail
	}
	if r.tail < 1 {
		return r, tool.Faultf(tool.FaultArguments, "tail must be at least 1")
	}
	if a.Timeout != nil {
		if *a.Timeout < 0 || *a.Timeout > maxTimeout.Seconds() {
			return r, tool.Faultf(tool.FaultArguments, "timeout must be between 0 and %.0f seconds", maxTimeout.Seconds())
		}
		r.timeout = time.Duration(*a.Timeout * float64(time.Second))
	}
	size := 0
	switch command := a.Args.(type) {
	case string:
		r.script, size = command, len(command)
		if strings.TrimSpace(command) == "" {
			return r, tool.Faultf(tool.FaultArguments, "args: the command is empty")
		}
		if listAsText(command) {
			return r, tool.Faultf(tool.FaultArguments, "args: it is a list that was sent as a text; give the command as one text for Bash, or a list as a list")
		}
	case []any:
		for _, item := range command {
			s, ok := item.(string)
			if !ok {
				return r, tool.Faultf(tool.FaultArguments, "args: every item of the list must be a string")
			}
			r.argv, size = append(r.argv, s), size+len(s)
		}
		if len(r.argv) == 0 || r.argv[0] == "" {
			return r, tool.Faultf(tool.FaultArguments, "args: the list must begin with a program")
		}
	default:
		return r, tool.Faultf(tool.FaultArguments, "args: expected a string or a list of strings")
	}
	if size > maxCommand {
		return r, tool.Faultf(tool.FaultArguments, "args: the command has %d bytes, more than %d; write it into a file and run that", size, maxCommand)
	}
	if strings.ContainsRune(r.script+strings.Join(r.argv, ""), 0) {
		return r, tool.Faultf(tool.FaultArguments, "args: a command holds no NUL character")
	}
	return r, nil
}

// listAsText reports whether a text is a JSON list of strings. Bash would read it as
// a pattern for file names, and run what it finds.
func listAsText(command string) bool {
	var list []string
	return strings.HasPrefix(strings.TrimSpace(command), "[") && json.Unmarshal([]byte(command), &list) == nil
}

// describeArgs writes into a schema what the Go type cannot say: that args is
// a string or a list of strings. check holds calls to it.
func describeArgs(schema json.RawMessage) json.RawMessage {
	var s map[string]any
	if err := json.Unmarshal(schema, &s); err != nil {
		panic("shell: the schema made for run_shell_command cannot be read: " + err.Error())
	}
	args := s["properties"].(map[string]any)["args"].(map[string]any)
	args["type"] = []string{"string", "array"}
	args["items"] = map[string]any{"type": "string"}
	out, err := json.Marshal(s)
	if err != nil {
		panic("shell: the schema made for run_shell_command cannot be written: " + err.Error())
	}
	return out
}
