package turn

import (
	"slices"

	"mindroom/internal/model"
)

// transcriptTokens bounds what a subagent goes on from, as model.Estimate counts:
// older exchanges are left out, whole.
const transcriptTokens = 60_000

// closed is a transcript that another task may follow: every call has its result,
// and the last word is the subagent's own. last stands in for a word it did not
// come to say.
func closed(messages []model.Message, calls []batchCall, last string) []model.Message {
	out := slices.Clone(messages)
	if n := len(out); n > 0 {
		if made := out[n-1].Calls(); len(made) > 0 {
			out = append(out, model.ToolResults(resultsOf(made, calls)...))
		}
	}
	if n := len(out); n == 0 || out[n-1].Role != model.RoleAssistant {
		out = append(out, model.Message{Role: model.RoleAssistant, Parts: []model.Part{model.TextPart(last)}})
	}
	return recent(out, transcriptTokens)
}

// resultsOf are the results of calls, of those that have none as of calls that
// never ran.
func resultsOf(made []model.Call, calls []batchCall) []model.Result {
	results := make([]model.Result, len(made))
	for i, call := range made {
		result := neverRan
		for _, c := range calls {
			if c.Call.ID == call.ID && c.Result != nil {
				result = *c.Result
			}
		}
		results[i] = model.Result{CallID: call.ID, Name: call.Name, Text: result.Text, IsError: result.IsError, Media: result.Media}
	}
	return results
}

// recent are the newest whole exchanges of a transcript that fit, an exchange being
// a task and what followed from it; of the newest at least its words.
func recent(messages []model.Message, tokens int) []model.Message {
	first := len(messages)
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != model.RoleUser {
			continue
		}
		if model.Estimate(model.Request{Messages: messages[i:]}) > tokens {
			break
		}
		first = i
	}
	if first == len(messages) {
		return cutResults(messages[task(messages):], resultBytes[len(resultBytes)-1])
	}
	return slices.Clone(messages[first:])
}

// task is where in a subagent's messages its present task stands.
func task(messages []model.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == model.RoleUser {
			return i
		}
	}
	return 0
}
