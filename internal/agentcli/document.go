package agentcli

import (
	"encoding/json"

	"mindroom/internal/canonical"
)

// document is an answer that can be used.
type document struct {
	// body is its canonical form, at most maxDocument bytes.
	body []byte
	// status, callID and outcome are of its top level; "" and nil where they are not there or no text.
	status, callID string
	outcome        json.RawMessage
}

// answerDepth is how deep an answer may nest: what a tool gives may use the whole depth of a document, and stands in an answer.
const answerDepth = 1024

// readDocument reads an answer. It reports false for what is no JSON object within the bound, or not strict.
func readDocument(raw []byte) (document, bool) {
	doc, err := canonical.Parse(raw, canonical.Limits{Bytes: maxDocument, Depth: answerDepth, Unique: true})
	if err != nil || !doc.IsObject() {
		return document{}, false
	}
	d := document{body: doc.Canonical()}
	var members map[string]json.RawMessage
	if err := doc.Decode(&members); err != nil || len(d.body) > maxDocument {
		return document{}, false
	}
	d.status, d.callID, d.outcome = word(members["status"]), word(members["call_id"]), members["outcome"]
	return d, true
}

// word is the text of a JSON string; "" for anything else.
func word(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// alone is the outcome as a document of its own.
func (d document) alone() []byte {
	if d.outcome == nil {
		return []byte("null")
	}
	return d.outcome
}
