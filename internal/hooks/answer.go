package hooks

import (
	"errors"
	"fmt"
	"strings"

	"mindroom/internal/canonical"
)

const (
	// maxAnswer bounds an answer, in bytes.
	maxAnswer = 64 << 10
	// maxReason bounds what a caller is told of a decline, in bytes.
	maxReason = 1000
)

var errNoAnswer = errors.New(`it did not answer {"decision":"allow"} or {"decision":"deny","reason":"…"}`)

// parseAnswer reads what a before hook answered. Whatever is not exactly a decision is an error; keys it does not know are ignored.
func parseAnswer(body []byte) (allow bool, reason string, err error) {
	doc, err := canonical.Parse(body, canonical.Limits{})
	if err != nil {
		return false, "", fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	if !doc.IsObject() {
		return false, "", errNoAnswer
	}
	// A map, because a struct would also take "Decision" for the key.
	var answer map[string]any
	if err := doc.Decode(&answer); err != nil {
		return false, "", fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	reason, _ = answer["reason"].(string)
	reason = strings.TrimSpace(reason)
	switch answer["decision"] {
	case "allow":
		return true, reason, nil
	case "deny":
		if reason == "" {
			reason = "it gave no reason"
		}
		return false, reason, nil
	}
	return false, "", errNoAnswer
}
