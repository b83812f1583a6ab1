package config

import (
	"strings"
	"time"
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
	Script  string        // absolute path of a file with check(tool_name, arguments, agent_name); whoever cannot run it must ask
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

const (
	day              = 24 * time.Hour
	defaultTimeout   = 7 * day
	longestTimeout   = 36500 * day
	maxReasonLetters = 500
)

func (d *decoder) approval(n *node) Approval {
	s := d.section(n, "tool_approval")
	a := Approval{
		Default: Action(s.choice("default", string(ActionAutoApprove), string(ActionAutoApprove), string(ActionRequire))),
		Timeout: s.span("timeout_days", day, defaultTimeout, longestTimeout),
	}
	if v := s.get("rules"); v != nil {
		for _, item := range d.items(v) {
			a.Rules = append(a.Rules, d.approvalRule(item))
		}
	}
	s.done()
	return a
}

func (d *decoder) approvalRule(n *node) ApprovalRule {
	s := d.section(n, "tool_approval.rules[]")
	r := ApprovalRule{Pos: n.pos, Timeout: s.span("timeout_days", day, 0, longestTimeout)}
	if v := s.require("match"); v != nil {
		if r.Match = d.text(v); r.Match == "" && v.tag == "!!str" {
			d.fail(v, "must not be empty; * matches every function")
		}
	}
	action, script := s.get("action"), s.get("script")
	switch {
	case action != nil && script != nil:
		d.fail(script, "excludes action; keep one of the two")
	case action != nil:
		r.Action = Action(d.choice(action, string(ActionRequire), string(ActionAutoApprove), string(ActionRequire), string(ActionDeny)))
	case script != nil:
		r.Script = d.approvalScript(script)
	case !s.broken:
		d.fail(n, "needs action (auto_approve, require_approval or deny) or script")
	}
	if v := s.get("reason"); v != nil {
		r.Reason = d.text(v)
		switch {
		case r.Action != ActionDeny:
			d.fail(v, "stands only beside action: deny")
		case len([]rune(r.Reason)) > maxReasonLetters:
			d.fail(v, "must have at most %d characters", maxReasonLetters)
		}
	}
	s.done()
	return r
}

func (d *decoder) approvalScript(n *node) string {
	p := d.text(n)
	if p == "" {
		if n.tag == "!!str" {
			d.fail(n, "must not be empty")
		}
		return ""
	}
	if !strings.HasSuffix(p, ".py") {
		d.fail(n, "must name a Python file, ending in .py")
	}
	return d.filePath(n, p)
}
