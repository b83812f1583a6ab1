package turn

import (
	"encoding/json"
	"testing"

	"mindroom/internal/tool"
)

func TestResultOf(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		out   tool.Outcome
		want  string
		fault bool
	}{
		"a string":      {tool.Completed(json.RawMessage(`"a \"b\""`)), `a "b"`, false},
		"an object":     {tool.Completed(json.RawMessage(`{"a":1}`)), `{"a":1}`, false},
		"null":          {tool.Completed(json.RawMessage(`null`)), `null`, false},
		"an empty text": {tool.Completed(json.RawMessage(`""`)), emptyResult, false},
		"a denial":      {tool.Failed(tool.Faultf(tool.FaultDenied, "Ann said no.")), "approval_denied: Ann said no. This is a decision and final: do not repeat the call and do not work around it.", true},
		"a bare reason": {tool.Failed(tool.Faultf(tool.FaultDenied, "not on a Sunday")), "approval_denied: not on a Sunday. This is a decision and final: do not repeat the call and do not work around it.", true},
		"an expiry":     {tool.Failed(tool.Faultf(tool.FaultExpired, "Nobody decided.")), "approval_expired: Nobody decided. This is a decision and final: do not repeat the call and do not work around it.", true},
		"bad arguments": {tool.Failed(tool.Faultf(tool.FaultArguments, "a: expected string.")), "invalid_arguments: a: expected string. Correct the call and make it again if you still need it.", true},
		"not now":       {tool.Failed(&tool.Fault{Kind: tool.FaultUnavailable, Message: "Busy.", Retryable: true}), "runtime_failure: Busy. Making the call again later may succeed.", true},
		"a failure":     {tool.Failed(tool.Faultf(tool.FaultTool, "Broken.")), "tool_failure: Broken.", true},
		"no word":       {tool.Outcome{State: tool.StateFailed}, "failed: the call ended without saying why", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := resultOf(c.out); got.Text != c.want || got.IsError != c.fault {
				t.Errorf("the model reads %+v, want %q", got, c.want)
			}
		})
	}
}
