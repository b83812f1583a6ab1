package approval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// Rules evaluates tool_approval. It has no state of its own: the snapshot comes with each question, so rules always apply live (S12).
type Rules struct {
	// Scripts asks the files of script rules; nil: there is nothing to ask them with, and what such a rule matches is denied.
	Scripts *Scripts
}

var _ tool.Policy = Rules{}

// Evaluate says what becomes of a call. It may take as long as a script may.
func (r Rules) Evaluate(ctx context.Context, q tool.Question) tool.Verdict {
	if q.Snapshot == nil || q.Function == nil || !q.Call.Door.Known() {
		return tool.Verdict{Kind: tool.Deny, Rule: "no context", Reason: "the call cannot be judged without knowing where it comes from and under which configuration"}
	}
	rules := q.Snapshot.Config.Approval
	timeout := rules.Timeout
	number, matched := match(rules, q.Function.Name.Function)
	var verdict tool.Verdict
	if matched {
		rule := rules.Rules[number]
		if rule.Timeout > 0 {
			timeout = rule.Timeout
		}
		verdict = r.byRule(ctx, number, rule, q)
	}
	switch {
	case matched && verdict.Kind == tool.Deny:
	case q.Function.Confirm:
		verdict = tool.Verdict{Kind: tool.Ask, Rule: "the tool itself asks for confirmation", Declared: true}
	case matched:
	case q.Unattended && q.Preapproved:
		verdict = tool.Verdict{Kind: tool.Allow, Rule: "preapproved by allowed_tools at launch"}
	case q.Unattended:
		verdict = tool.Verdict{Kind: tool.Ask, Rule: "not preapproved at launch"}
	case rules.Default == config.ActionAutoApprove:
		verdict = tool.Verdict{Kind: tool.Allow, Rule: "tool_approval.default"}
	default:
		verdict = tool.Verdict{Kind: tool.Ask, Rule: "tool_approval.default"}
	}
	if verdict.Kind == tool.Ask {
		verdict.Timeout = timeout
	}
	return verdict
}

// Might reports whether some call of f may need a person's word: its rule asks, or
// has a script look at each call. Where no configuration is known it may.
func (r Rules) Might(snap *config.Snapshot, f *tool.Function) bool {
	if snap == nil || f == nil || f.Confirm {
		return true
	}
	rules := snap.Config.Approval
	number, matched := match(rules, f.Name.Function)
	if !matched {
		return rules.Default != config.ActionAutoApprove
	}
	switch rules.Rules[number].Action {
	case config.ActionAutoApprove, config.ActionDeny:
		return false
	}
	return true
}

// byRule is the verdict of the rule alone.
func (r Rules) byRule(ctx context.Context, number int, rule config.ApprovalRule, q tool.Question) tool.Verdict {
	switch rule.Action {
	case config.ActionAutoApprove:
		return tool.Verdict{Kind: tool.Allow, Rule: describe(number, rule, string(rule.Action))}
	case config.ActionRequire:
		return tool.Verdict{Kind: tool.Ask, Rule: describe(number, rule, string(rule.Action))}
	case config.ActionDeny:
		reason := rule.Reason
		if reason == "" {
			reason = fmt.Sprintf("an operator's rule denies %s", q.Function.Name)
		}
		return tool.Verdict{Kind: tool.Deny, Rule: describe(number, rule, string(rule.Action)), Reason: reason}
	}
	return r.byScript(ctx, number, rule, q)
}

// byScript asks the rule's file. Without an answer the call is denied, whoever could be asked: a person who sees a card believes that the rule looked at the
// call and found something to ask about (spec/runtime.md 1.10).
func (r Rules) byScript(ctx context.Context, number int, rule config.ApprovalRule, q tool.Question) tool.Verdict {
	name := filepath.Base(rule.Script)
	var needsApproval bool
	var err error = &ScriptError{Path: rule.Script, Kind: ScriptUnavailable, Text: "this part of the runtime evaluates no scripts"}
	if r.Scripts != nil {
		needsApproval, err = r.Scripts.Check(ctx, rule.Script, Subject{Function: q.Function.Name.Function, Arguments: q.Call.Args, Agent: q.Call.Who.Agent})
	}
	if err != nil {
		public := name + " failed"
		var failed *ScriptError
		if errors.As(err, &failed) {
			public = failed.Public()
		}
		return tool.Verdict{
			Kind: tool.Deny, Rule: describe(number, rule, "script "+err.Error()),
			Reason: fmt.Sprintf("whether %s needs approval cannot be told, so it is denied: the operator's approval script %s. An operator must mend it.", q.Function.Name, public),
		}
	}
	if needsApproval {
		return tool.Verdict{Kind: tool.Ask, Rule: describe(number, rule, "script "+name+" wants a person to approve")}
	}
	return tool.Verdict{Kind: tool.Allow, Rule: describe(number, rule, "script "+name+" wants no approval")}
}

func match(rules config.Approval, function string) (number int, matched bool) {
	for i, rule := range rules.Rules {
		if tool.Match(rule.Match, function) {
			return i, true
		}
	}
	return 0, false
}

// describe names a rule so that a person finds it: its number as people count, its pattern, what it said, and its place.
func describe(number int, rule config.ApprovalRule, said string) string {
	return fmt.Sprintf("tool_approval rule %d %q (%s) at %s", number+1, rule.Match, said, rule.Pos)
}
