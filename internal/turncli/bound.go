package turncli

import (
	"context"
	"encoding/json"

	"mindroom/internal/canonical"
	"mindroom/internal/clock"
	"mindroom/internal/excerpt"
	"mindroom/internal/tool"
)

// maxOutcome is the largest outcome of a receipt, in bytes of JSON (C12).
const maxOutcome = 16 << 10

// shortened ends what was cut because there is no workspace to keep it in.
const shortened = "\n… (shortened: this agent has no workspace to keep the whole in; call the tool directly)"

// bounded puts a result that a receipt does not hold into a file of the workspace,
// or cuts it where there is none.
func bounded(wall clock.Wall) func(context.Context, tool.Invocation, json.RawMessage) (json.RawMessage, *tool.Fault) {
	long := tool.Long{Bytes: maxOutcome, Wall: wall}
	return func(ctx context.Context, in tool.Invocation, value json.RawMessage) (json.RawMessage, *tool.Fault) {
		if len(value) <= maxOutcome || in.Workspace != "" {
			return long.Bound(ctx, in, value)
		}
		return cut(value)
	}
}

func cut(value json.RawMessage) (json.RawMessage, *tool.Fault) {
	text := string(value)
	var s string
	if json.Unmarshal(value, &s) == nil {
		text = s
	}
	for n := maxOutcome; ; n /= 2 {
		doc, err := canonical.FromValue(excerpt.Head(text, n) + shortened)
		if err != nil {
			return nil, tool.Faultf(tool.FaultResult, "the result cannot be shortened: %v", err)
		}
		if raw := doc.Canonical(); len(raw) <= maxOutcome {
			return raw, nil
		}
	}
}
