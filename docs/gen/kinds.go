package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// advised joins declared kinds with advice, and refuses either without the other.
func advised(kinds []constant, advice map[string]string, head string) (string, error) {
	var rows [][]string
	for _, k := range kinds {
		do, ok := advice[k.Value]
		if !ok {
			return "", fmt.Errorf("%q (%s) has no advice in docs/gen", k.Value, k.Name)
		}
		rows = append(rows, []string{code(k.Value), k.Doc, do})
	}
	if len(advice) != len(kinds) {
		for kind := range advice {
			if !slices.ContainsFunc(kinds, func(k constant) bool { return k.Value == kind }) {
				return "", fmt.Errorf("docs/gen advises on %q, which no declaration has", kind)
			}
		}
	}
	return table([]string{"kind", "meaning", head}, rows), nil
}

// faultAdvice says for each kind of tool.Fault what a script does about it.
var faultAdvice = map[string]string{
	"unknown_function":    "Never seen by a script: it reads `capability_revoked`. A model is told the nearest names.",
	"not_available":       "Never seen by a script: it reads `capability_revoked`.",
	"invalid_arguments":   "Correct the program: the message names the path, what was expected and what was received.",
	"unauthorised":        "From the authority check a script reads `capability_revoked`. From a tool: that tool refuses this room or recipient; choose another.",
	"runtime_failure":     "Retryable: nothing ran. Wait a little, then make a new call.",
	"approval_denied":     "Do not repeat it. Stop, or go on without the call. An operator can allow it with a rule.",
	"approval_expired":    "Nobody said no either. Stop, or go on without the call; ask again only when somebody is there to answer.",
	"declined":            "Do not repeat it: an operator's hook said no.",
	"capability_revoked":  "Stop: the run has ended, or the function is no longer the agent's.",
	"tool_failure":        "The tool ran and says why it failed. Log it; try again later with a new call if failing is normal for it.",
	"invalid_tool_result": "A fault of the tool. The call itself took place.",
	"result_too_large":    "The call itself took place. Ask for less, or let the tool write to a file.",
	"quota_exceeded":      "`retryable` says whether waiting helps.",
	"cancelled":           "Never seen by a script: it reads `runtime_failure`.",
	"indeterminate":       "**Never repeat it automatically.** Look whether the effect is there, or ask a person.",
}

func faults(_ context.Context, root string) (string, error) {
	kinds, err := constants(root, "internal/tool/outcome.go", "FaultKind")
	if err != nil {
		return "", err
	}
	return advised(kinds, faultAdvice, "what a script does")
}

// controlAdvice says what each refusal of a control function means.
var controlAdvice = map[string]string{
	"no_context":              "`start_script` outside a Matrix room. Ask the agent in a room.",
	"not_found":               "No such run of this requester with this agent. `list_scripts` shows what there is.",
	"invalid_source":          "Not exactly one of source and path; or over 128 KiB, empty, no UTF-8 text; or a path that leaves the workspace, goes through a link, or is no regular file.",
	"invalid_name":            "Over 120 characters, or not plain text.",
	"profiles_unsupported":    "This place enforces no resource profiles. Leave `resource_profile` out.",
	"unsupported_platform":    "Scripts need Linux.",
	"sandbox_unavailable":     "No worker, and local execution is not permitted. The message says what an operator sets.",
	"no_gateway":              "MindRoom runs with `--no-api`, and scripts call tools through its API. The operator starts it without.",
	"unknown_allowed_tools":   "The agent's `allowed_tools` names what is no toolkit of it or what scripts may never use. The message lists both.",
	"concurrent_limit":        "`max_concurrent_runs` are running. Cancel one or wait.",
	"shutting_down":           "The runtime is going down. Start it again afterwards.",
	"reconciling":             "Runs of an earlier start are not settled yet. Try again shortly.",
	"launch_failed":           "No process was started. The run is kept as `failed` and says why.",
	"launch_ambiguous":        "A process may have started; it was ended. The run is kept as `interrupted`.",
	"termination_unconfirmed": "The wish to end it is stored and is tried again. Ask for its status later.",
	"internal":                "A fault inside. The log has more.",
}

func controls(_ context.Context, root string) (string, error) {
	kinds, err := constants(root, "internal/script/errors.go", "ErrorKind")
	if err != nil {
		return "", err
	}
	var rows [][]string
	if _, err := advised(kinds, controlAdvice, ""); err != nil {
		return "", err
	}
	for _, k := range kinds {
		rows = append(rows, []string{code(k.Value), controlAdvice[k.Value]})
	}
	return table([]string{"kind", "meaning, and what to do"}, rows), nil
}

// refusalAdvice says what a command does about each refusal of the turn CLI.
var refusalAdvice = map[string]string{
	"call_conflict":       "Leave `--call-id` out to make a new call.",
	"no_window":           "Call from inside a shell command, with this release's `mindroom-agent` and the variables it was given.",
	"window_closed":       "Call from a command that still runs. `calls get` and `calls wait` go on working.",
	"fenced":              "Nothing more can be called in this step. End the command.",
	"too_large":           "Pass long content by a file in the workspace.",
	"invalid_request":     "The message names the member. `mindroom-agent` sends no such request.",
	"bad_cursor":          "Leave the cursor out to begin anew.",
	"unknown_document":    "`context list` names them.",
	"too_many_receipts":   "The response can make no more calls through `mindroom-agent`.",
	"too_many_operations": "Wait for one of them with `calls wait`.",
	"internal":            "A fault inside. The log has more. After a call, ask for its receipt.",
}

func refusals(_ context.Context, root string) (string, error) {
	kinds, err := constants(root, "internal/turncli/refusal.go", "Code")
	if err != nil {
		return "", err
	}
	return advised(kinds, refusalAdvice, "what to do")
}

// sdkAdvice says what each kind means that the SDK itself raises.
var sdkAdvice = map[string]string{
	"invalid_arguments":    "The arguments have no single strict JSON form, or the call has over 65,536 bytes. Nothing was sent. Correct the program.",
	"stable_call_conflict": "The call's id belongs to another call. It needs a broken gateway or proxy; report it.",
	"invalid_response":     "A successful answer that is no receipt of this call. Whether the call took place is not known: treat it like `indeterminate`.",
	"request_rejected":     "The gateway refused the call, most often because the run has ended (404). Stop.",
	"gateway_unavailable":  "Waited out by the SDK under the same call id; a script does not see it.",
	"rate_limited":         "Waited out by the SDK under the same call id; a script does not see it.",
	"transport":            "Waited out by the SDK under the same call id; a script does not see it.",
}

// raised finds the kinds that the SDK names in its own source.
var raised = regexp.MustCompile(`(?:kind=|kind: str = |kind = |failed\([^)]*, )"([a-z_]+)"(?: if [^\n]* else "([a-z_]+)")?`)

func sdkKinds(_ context.Context, root string) (string, error) {
	files, err := filepath.Glob(filepath.Join(root, "sdk/python/mindroom/*.py"))
	if err != nil {
		return "", err
	}
	var kinds []constant
	add := func(kind string) {
		if kind != "" && !slices.ContainsFunc(kinds, func(k constant) bool { return k.Value == kind }) {
			kinds = append(kinds, constant{Name: kind, Value: kind})
		}
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		for _, m := range raised.FindAllStringSubmatch(string(source), -1) {
			add(m[1])
			add(m[2])
		}
	}
	if _, err := advised(kinds, sdkAdvice, ""); err != nil {
		return "", err
	}
	slices.SortFunc(kinds, func(a, b constant) int { return strings.Compare(a.Value, b.Value) })
	var rows [][]string
	for _, k := range kinds {
		rows = append(rows, []string{code(k.Value), sdkAdvice[k.Value]})
	}
	return table([]string{"kind", "meaning, and what to do"}, rows), nil
}
