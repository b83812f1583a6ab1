package turn

import (
	"encoding/json"

	"mindroom/internal/excerpt"
	"mindroom/internal/model"
)

// maxRepeats is in how many answers the same call may fail before the turn ends.
const maxRepeats = 3

// repeated counts failures of identical calls and reports whether one of them
// has failed in too many answers. A success forgets the failures before it.
func (r *response) repeated(calls []model.Call) bool {
	if r.cp.Repeats == nil {
		r.cp.Repeats = map[string]int{}
	}
	failed := map[string]bool{}
	for i, call := range calls {
		key := call.Name + " " + fingerprint(call.Arguments)
		failed[key] = r.cp.Calls[i].Result.IsError
	}
	worst := 0
	for key, again := range failed {
		if !again {
			delete(r.cp.Repeats, key)
			continue
		}
		r.cp.Repeats[key]++
		worst = max(worst, r.cp.Repeats[key])
	}
	return worst >= maxRepeats
}

// fingerprint is the same for arguments that mean the same.
func fingerprint(raw json.RawMessage) string {
	doc, fault := arguments(raw, model.StopToolCalls)
	if fault == nil {
		return doc.Digest()
	}
	return excerpt.Head(string(raw), 1024)
}
