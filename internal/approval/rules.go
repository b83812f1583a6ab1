package approval

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// Rules evaluates tool_approval. It has no state: the snapshot comes with each
// question, so rules always apply live (S12).
type Rules struct{}

var _ tool.Policy = Rules{}

// Evaluate says what becomes of a call.
func (Rules) Evaluate(_ context.Context, q tool.Question) tool.Verdict {
	if q.Snapshot == nil || q.Function == nil {
		return tool.Verdict{Kind: tool.Deny, Rule: "no context", Reason: "the call cannot be judged without its configuration"}
	}
	rules := q.Snapshot.Config.Approval
	rule, matched := match(rules, q.Function.Name.Function)
	timeout := rules.Timeout
	if matched && rule.Timeout > 0 {
		timeout = rule.Timeout
	}
	if matched && rule.Action == config.ActionDeny {
		reason := rule.Reason
		if reason == "" {
			reason = fmt.Sprintf("an operator's rule denies %s", q.Function.Name)
		}
		return tool.Verdict{Kind: tool.Deny, Rule: describe(rule), Reason: reason}
	}
	if q.Function.Confirm {
		return tool.Verdict{Kind: tool.Ask, Rule: "the tool itself asks for confirmation", Declared: true, Timeout: timeout}
	}
	if matched {
		return byRule(rule, timeout)
	}
	if q.Unattended {
		if q.Preapproved {
			return tool.Verdict{Kind: tool.Allow, Rule: "preapproved by allowed_tools at launch"}
		}
		return tool.Verdict{Kind: tool.Ask, Rule: "not preapproved at launch", Timeout: timeout}
	}
	if rules.Default == config.ActionRequire {
		return tool.Verdict{Kind: tool.Ask, Rule: "tool_approval.default", Timeout: timeout}
	}
	return tool.Verdict{Kind: tool.Allow, Rule: "tool_approval.default"}
}

func byRule(rule config.ApprovalRule, timeout time.Duration) tool.Verdict {
	if rule.Action == config.ActionAutoApprove {
		return tool.Verdict{Kind: tool.Allow, Rule: describe(rule)}
	}
	// require_approval, and a script that this runtime cannot ask: both ask.
	return tool.Verdict{Kind: tool.Ask, Rule: describe(rule), Timeout: timeout}
}

func match(rules config.Approval, function string) (config.ApprovalRule, bool) {
	for _, rule := range rules.Rules {
		if tool.Match(rule.Match, function) {
			return rule, true
		}
	}
	return config.ApprovalRule{}, false
}

func describe(rule config.ApprovalRule) string {
	what := string(rule.Action)
	if rule.Script != "" {
		what = "script, which is not evaluated and therefore asks"
	}
	return fmt.Sprintf("tool_approval rule %q (%s) at %s", rule.Match, what, rule.Pos)
}
