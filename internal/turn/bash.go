package turn

import (
	"encoding/json"
	"strings"

	"mindroom/internal/canonical"
	"mindroom/internal/model"
	"mindroom/internal/tool"
)

// bashName is the one tool of minimal mode.
const bashName = "bash"

// maxBashTimeout is the longest a command of it may take, in seconds.
const maxBashTimeout = 24 * 60 * 60

// bashTools is what a model in minimal mode gets (spec/agentcli.md 4.3).
var bashTools = []model.Tool{{
	Name: bashName,
	Description: "Run a command in a fresh Bash in your workspace and return the last lines of its output. Files persist between commands; variables and directory changes do not.\n" +
		"Your other tools are called in it with mindroom-agent: `mindroom-agent --help`, `mindroom-agent tools search WORDS`, `mindroom-agent tools describe TOOLKIT.FUNCTION`, `mindroom-agent tools call TOOLKIT.FUNCTION '{…}'`.\n" +
		"A command is stopped at its timeout; start longer work detached (nohup … > out.log 2>&1 &) and read its log later.",
	Schema: json.RawMessage(`{"type":"object","properties":{` +
		`"command":{"type":"string","description":"The command, as a script for Bash."},` +
		`"timeout":{"type":"integer","minimum":1,"maximum":86400,"description":"Seconds after which the command is stopped; 120 if left out."},` +
		`"tail":{"type":"integer","minimum":1,"description":"How many of the last lines of output are returned; 100 if left out."}},` +
		`"required":["command"],"additionalProperties":false}`),
}}

// tools are the functions the model has.
func (r *response) tools() []model.Tool {
	if r.minimal() {
		return bashTools
	}
	return r.surface.Tools()
}

// named is the function a model means by a name. In minimal mode there is one,
// and it is the agent's own shell, so that rules, hooks and records see what they
// always see.
func (r *response) named(name string) (tool.Name, *tool.Fault) {
	if !r.minimal() {
		if f := r.surface.Bare(name); f != nil {
			return f.Name, nil
		}
		return tool.Name{Function: name}, r.unloaded(name)
	}
	if name == bashName {
		return shellTool, nil
	}
	return tool.Name{Function: name}, tool.Faultf(tool.FaultUnknown,
		"there is no tool %.64q here: your one tool is bash. Every other one is called in it: mindroom-agent tools search WORDS finds it, mindroom-agent tools call TOOLKIT.FUNCTION '{…}' calls it.", name)
}

// bashArguments turns the arguments of bash into those of the shell's function,
// or says what of them does not fit. Nothing has run then.
func bashArguments(doc canonical.Doc) (canonical.Doc, *tool.Fault) {
	var given map[string]json.RawMessage
	if err := doc.Decode(&given); err != nil {
		return doc, tool.Faultf(tool.FaultArguments, "the arguments of bash cannot be read: %v", err)
	}
	shell := map[string]any{}
	for name, raw := range given {
		if string(raw) == "null" && (name == "timeout" || name == "tail") {
			continue // left out, as every function of the agent takes it
		}
		switch name {
		case "command":
			var command *string
			if json.Unmarshal(raw, &command) != nil || command == nil {
				return doc, tool.Faultf(tool.FaultArguments, "command: expected a string, received %.40s", raw)
			}
			if strings.TrimSpace(*command) == "" {
				return doc, tool.Faultf(tool.FaultArguments, "command: it is empty; give Bash something to run")
			}
			shell["args"] = *command
		case "timeout":
			n, fault := whole("timeout", raw, maxBashTimeout)
			if fault != nil {
				return doc, fault
			}
			shell["timeout"] = n
		case "tail":
			n, fault := whole("tail", raw, 1<<31-1)
			if fault != nil {
				return doc, fault
			}
			shell["tail"] = n
		default:
			return doc, tool.Faultf(tool.FaultArguments, "%.40s: bash has no such argument; it takes command, timeout and tail", name)
		}
	}
	if shell["args"] == nil {
		return doc, tool.Faultf(tool.FaultArguments, "command: expected a string, received nothing")
	}
	out, err := canonical.FromValue(shell)
	if err != nil {
		return doc, tool.Faultf(tool.FaultArguments, "the arguments of bash cannot be read: %v", err)
	}
	return out, nil
}

// whole reads a whole number from 1 to most.
func whole(name string, raw json.RawMessage, most int64) (int64, *tool.Fault) {
	var n int64
	if json.Unmarshal(raw, &n) != nil {
		return 0, tool.Faultf(tool.FaultArguments, "%s: expected a whole number, received %.40s", name, raw)
	}
	if n < 1 || n > most {
		return 0, tool.Faultf(tool.FaultArguments, "%s: expected a number from 1 to %d, received %d", name, most, n)
	}
	return n, nil
}
