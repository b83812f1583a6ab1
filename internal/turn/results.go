package turn

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"mindroom/internal/tool"
)

// emptyResult stands in for a result without a character.
const emptyResult = "(The call returned an empty text.)"

// resultOf is what a model reads of an outcome. A decision reads as one: a
// model that takes a denial for a fault tries to get around it.
func resultOf(out tool.Outcome) storedResult {
	if out.State == tool.StateCompleted {
		var text *string
		if json.Unmarshal(out.Value, &text) != nil || text == nil {
			return storedResult{Text: string(out.Value), Media: out.Media}
		}
		if *text == "" {
			return storedResult{Text: emptyResult, Media: out.Media} // some providers take no empty text
		}
		return storedResult{Text: *text, Media: out.Media}
	}
	if out.Fault == nil {
		return storedResult{Text: string(out.State) + ": the call ended without saying why", IsError: true}
	}
	text := string(out.Fault.Kind) + ": " + out.Fault.Message
	switch out.Fault.Kind {
	case tool.FaultDenied, tool.FaultExpired:
		text = sentence(text) + " This is a decision and final: do not repeat the call and do not work around it."
	case tool.FaultArguments, tool.FaultUnknown:
		text = sentence(text) + " Correct the call and make it again if you still need it."
	default:
		if out.Fault.Retryable {
			text = sentence(text) + " Making the call again later may succeed."
		}
	}
	return storedResult{Text: text, IsError: true}
}

// sentence ends a text as a sentence: what people and operators give as a reason
// often is none, and more follows.
func sentence(text string) string {
	if last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(text)); strings.ContainsRune(".!?…。！？", last) {
		return text
	}
	return text + "."
}

// approved tells the model that a person allowed the call: it may refer to that.
func (s storedResult) approved(d *tool.Decision) storedResult {
	if d != nil && d.Kind == tool.Approved {
		s.Text += "\n\n[" + d.By + " approved this call.]"
	}
	return s
}

// unknownEnd is the result of a begun call whose end nobody recorded.
func unknownEnd() storedResult { return resultOf(lostCall()) }

func lostCall() tool.Outcome {
	return tool.Indeterminate("The service was restarted while the call ran.")
}

// neverRan is the result of a call that the end of its response came before.
var neverRan = storedResult{Text: "cancelled: the response ended before the call began; it never ran", IsError: true}
