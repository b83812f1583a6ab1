package turn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mindroom/internal/model"
)

// unbroken reports what is wrong with a conversation that a provider is to be sent.
func unbroken(messages []model.Message) error {
	var open []string
	for i, m := range messages {
		results := m.Results()
		if len(results) != len(open) || (m.Role == model.RoleTool) != (len(open) > 0) {
			return fmt.Errorf("message %d (%s) has %d results for %d calls", i, m.Role, len(results), len(open))
		}
		for j, r := range results {
			if r.CallID != open[j] {
				return fmt.Errorf("message %d has the result of %s for %s", i, r.CallID, open[j])
			}
		}
		if m.Role == model.RoleUser && i > 0 && messages[i-1].Role != model.RoleAssistant {
			return fmt.Errorf("message %d follows a %s", i, messages[i-1].Role)
		}
		open = nil
		for _, call := range m.Calls() {
			open = append(open, call.ID)
		}
	}
	if n := len(messages); len(open) > 0 || n == 0 || messages[0].Role != model.RoleUser || messages[n-1].Role != model.RoleAssistant {
		return fmt.Errorf("it begins or ends in the middle: %d messages, open calls %v", n, open)
	}
	return nil
}

// Wherever a subagent's turn ends, and however long it has become, what it goes on
// from is a whole conversation that ends with the newest exchange (sentence 22).
func TestATranscriptIsAlwaysWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom([]int{1, 100, 4 * transcriptTokens}).Draw(rt, "size")
		text := func() string { return strings.Repeat("x", size) }
		var messages []model.Message
		var open []batchCall
		for turn := range rapid.IntRange(1, 4).Draw(rt, "turns") {
			messages, open = append(messages, model.UserText(fmt.Sprintf("task %d", turn))), nil
			for round := range rapid.IntRange(0, 3).Draw(rt, "rounds") {
				m := model.Message{Role: model.RoleAssistant}
				open = nil
				for n := range rapid.IntRange(1, 3).Draw(rt, "calls") {
					id := fmt.Sprintf("c%d.%d.%d", turn, round, n)
					m.Parts = append(m.Parts, model.CallPart(model.Call{ID: id, Name: "echo", Arguments: json.RawMessage(`{}`)}))
					call := batchCall{Ref: id, Call: storedCall{ID: id, Name: "echo"}}
					if rapid.Bool().Draw(rt, "ended") {
						call.Result = &storedResult{Text: text()}
					}
					open = append(open, call)
				}
				messages = append(messages, m)
				if rapid.Bool().Draw(rt, "cut off here") {
					break
				}
				messages, open = append(messages, model.ToolResults(resultsOf(m.Calls(), open)...)), nil
			}
			if rapid.Bool().Draw(rt, "answers") && open == nil {
				messages = append(messages, model.Message{Role: model.RoleAssistant, Parts: []model.Part{model.TextPart(text())}})
			}
			messages = closed(messages, open, "(ended)")
			if err := unbroken(messages); err != nil {
				rt.Fatalf("after turn %d: %v", turn, err)
			}
			if got := messages[task(messages)].Text(); got != fmt.Sprintf("task %d", turn) {
				rt.Fatalf("the newest task is %q", got)
			}
		}
	})
}

// Older exchanges are left out whole; of one that is too long by itself the results
// are cut.
func TestALongTranscriptLosesItsBeginning(t *testing.T) {
	t.Parallel()
	said := func(text string) model.Message {
		return model.Message{Role: model.RoleAssistant, Parts: []model.Part{model.TextPart(text)}}
	}
	long := strings.Repeat("word ", 3*transcriptTokens/4)
	var tasks []string
	for _, m := range closed([]model.Message{model.UserText("one"), said(long), model.UserText("two"), said(long), model.UserText("three"), said("short")}, nil, "") {
		if m.Role == model.RoleUser {
			tasks = append(tasks, m.Text())
		}
	}
	if !slices.Equal(tasks, []string{"two", "three"}) && !slices.Equal(tasks, []string{"three"}) {
		t.Errorf("it keeps %q", tasks)
	}
	call := model.Message{Role: model.RoleAssistant, Parts: []model.Part{model.CallPart(model.Call{ID: "c", Name: "echo", Arguments: json.RawMessage(`{}`)})}}
	huge := closed([]model.Message{model.UserText("one"), call, model.ToolResults(model.Result{CallID: "c", Text: long + long}), said("so")}, nil, "")
	if err := unbroken(huge); err != nil || model.Estimate(model.Request{Messages: huge}) > transcriptTokens {
		t.Errorf("%d tokens are left: %v", model.Estimate(model.Request{Messages: huge}), err)
	}
}
