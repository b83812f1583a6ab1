package config

import (
	"strings"
	"time"

	"mindroom/internal/config/format"
)

// Approval is the operators' rules for tool calls. Package approval evaluates them.
type Approval struct {
	Default Action        // for a call no rule matches; default ActionAutoApprove, never ActionDeny
	Timeout time.Duration // how long a card waits, when its rule does not say
	Rules   []ApprovalRule
}

// ApprovalRule is one rule; the first that matches decides. Exactly one of Action and Script is set.
type ApprovalRule struct {
	Match   string        // shell pattern over the function's name
	Action  Action        // empty when Script is set
	Reason  string        // with ActionDeny: what the caller is told
	Script  string        // absolute path of a file (.py or .star) with check(tool_name, arguments, agent_name); whoever cannot run it must deny
	Timeout time.Duration // 0: the general one
	Pos     Pos
}

// Action is what a rule orders.
type Action string

// The actions.
const (
	ActionAutoApprove Action = "auto_approve"
	ActionRequire     Action = "require_approval"
	ActionDeny        Action = "deny"
)

const day = 24 * time.Hour

func (d *decoder) approval(s *section) Approval {
	a := Approval{Default: Action(s.text("default")), Timeout: s.span("timeout_days", day)}
	if v := s.get("rules"); v != nil {
		rule := s.key("rules").Shape.Of.Object
		for _, item := range v.items {
			a.Rules = append(a.Rules, d.approvalRule(d.section(item, rule)))
		}
	}
	return a
}

func (d *decoder) approvalRule(s *section) ApprovalRule {
	r := ApprovalRule{Match: s.text("match"), Action: Action(s.text("action")), Reason: s.text("reason"), Timeout: s.span("timeout_days", day), Pos: s.n.pos}
	if v := s.get("script"); v != nil {
		r.Script = d.approvalScript(v)
	}
	if v := s.get("reason"); v != nil {
		switch {
		case r.Action != ActionDeny:
			d.fail(v, "stands only beside action: deny")
		case len([]rune(r.Reason)) > format.MaxReason:
			d.fail(v, "must have at most %d characters", format.MaxReason)
		}
	}
	return r
}

func (d *decoder) approvalScript(n *node) string {
	if !strings.HasSuffix(n.text, ".py") && !strings.HasSuffix(n.text, ".star") {
		d.fail(n, "must name a Python file, ending in .py, or a Starlark file, ending in .star")
	}
	return d.filePath(n, n.text)
}
