package script

import (
	"maps"

	"mindroom/internal/canonical"
	"mindroom/internal/script"
)

// with answers in the one form of every control function: an object with sorted
// keys, status ok and the action, or status error with a kind and a sentence
// (spec/scripts.md 1.3).
func (k *kit) with(action string, do func(Runs) (map[string]any, error)) (any, error) {
	runs := k.runs()
	if runs == nil {
		return failure(&script.Error{Kind: script.KindReconciling, Message: "the runtime is not ready yet; try again shortly", Retryable: true})
	}
	body, err := do(runs)
	if err != nil {
		return failure(script.AsError(err))
	}
	out := map[string]any{"status": "ok", "tool": Name, "action": action}
	maps.Copy(out, body)
	return write(out)
}

func failure(e *script.Error) (any, error) {
	return write(map[string]any{"status": "error", "tool": Name, "message": e.Message, "kind": string(e.Kind), "retryable": e.Retryable})
}

func write(body map[string]any) (any, error) {
	doc, err := canonical.FromValue(body)
	if err != nil {
		return nil, err
	}
	return string(doc.Canonical()), nil
}
