package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestApprovalRules(t *testing.T) {
	t.Parallel()
	text := minimal + `
tool_approval:
  default: require_approval
  timeout_days: 0.5
  rules:
    - {match: "rm_*", action: deny, reason: Never remove anything.}
    - {match: send_email, script: approvals/email.py, timeout_days: 1}
    - {match: "x", script: "${MINDROOM_STORAGE_PATH}/x.py"}
    - {match: "y", script: "${MINDROOM_CONFIG_PATH}/y.py"}
    - {match: "*", action: auto_approve}
`
	env, err := ReadEnv(t.TempDir(), func(name string) (string, bool) { return "/srv/data", name == "MINDROOM_STORAGE_PATH" })
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := Parse("/etc/mindroom/config.yaml", []byte(text), toolkits(), env)
	if err != nil {
		t.Fatal(err)
	}
	want := Approval{Default: ActionRequire, Timeout: 12 * time.Hour, Rules: []ApprovalRule{
		{Match: "rm_*", Action: ActionDeny, Reason: "Never remove anything."},
		{Match: "send_email", Script: "/etc/mindroom/approvals/email.py", Timeout: 24 * time.Hour},
		{Match: "x", Script: "/srv/data/x.py"},
		{Match: "y", Script: "/etc/mindroom/y.py"},
		{Match: "*", Action: ActionAutoApprove},
	}}
	if diff := cmp.Diff(want, c.Approval, cmpopts.IgnoreFields(ApprovalRule{}, "Pos")); diff != "" {
		t.Error(diff)
	}
	if c.Approval.Rules[0].Pos.Line != 9 {
		t.Errorf("place of a rule: %v", c.Approval.Rules[0].Pos)
	}
}

func TestApprovalDefaults(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits(), minimal)
	if diff := cmp.Diff(Approval{Default: ActionAutoApprove, Timeout: 7 * 24 * time.Hour}, c.Approval); diff != "" {
		t.Error(diff)
	}
}
