package modeltest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mindroom/internal/model"
)

// Run tests what every provider promises.
func Run(t *testing.T, subject Subject) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Subject){
		"text":             testText,
		"parallel calls":   testParallelCalls,
		"broken arguments": testBrokenArguments,
		"no arguments":     testNoArguments,
		"nothing":          testNothing,
		"nobody listens":   testNilSink,
		"cancelled before": testCancelledBefore,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, subject)
		})
	}
}

// Ask is a request that a test can use where its content does not matter. It offers the tool "weather".
func Ask() model.Request {
	return model.Request{
		Model:    "test-model",
		Agent:    "helper",
		System:   "Be brief.",
		Messages: []model.Message{model.UserText("How is the weather?")},
		Tools: []model.Tool{{
			Name:        "weather",
			Description: "Tells the weather.",
			Schema:      json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
		}},
	}
}

// listen collects the events and fails the test when one comes after the answer (sentence 5).
type listen struct {
	t        *testing.T
	text     strings.Builder
	pieces   int
	calls    []string
	answered bool
}

func (l *listen) sink(e model.Event) {
	if l.answered {
		l.t.Errorf("event %+v came after Stream had returned", e)
	}
	set := 0
	for _, field := range []string{e.Text, e.Reasoning, e.CallName} {
		if field != "" {
			set++
		}
	}
	if set != 1 {
		l.t.Errorf("event %+v has %d fields set, want exactly one", e, set)
	}
	if e.Text != "" {
		l.text.WriteString(e.Text)
		l.pieces++
	}
	if e.CallName != "" {
		l.calls = append(l.calls, e.CallName)
	}
}

func stream(t *testing.T, p model.Provider, req model.Request) (model.Response, *listen) {
	t.Helper()
	l := &listen{t: t}
	resp, err := p.Stream(t.Context(), req, l.sink)
	l.answered = true
	if err != nil {
		t.Fatalf("Stream: %v", err)
	}
	if resp.Message.Role != model.RoleAssistant {
		t.Errorf("role is %q, want assistant", resp.Message.Role)
	}
	return resp, l
}

func testText(t *testing.T, subject Subject) {
	resp, l := stream(t, subject(t, Reply{Text: []string{"It is ", "sunny", " – 20 °C."}}), Ask())
	const want = "It is sunny – 20 °C."
	if resp.Message.Text() != want || l.text.String() != want {
		t.Errorf("answer %q, streamed %q, want %q", resp.Message.Text(), l.text.String(), want)
	}
	if l.pieces < 2 {
		t.Errorf("the text came in %d piece, want it streamed", l.pieces)
	}
	if resp.Stop != model.StopEnd {
		t.Errorf("stop is %q, want end", resp.Stop)
	}
}

func testParallelCalls(t *testing.T, subject Subject) {
	resp, l := stream(t, subject(t, Reply{
		Text: []string{"Let me ", "look."},
		Calls: []Call{
			{ID: "call_a", Name: "weather", Arguments: []string{`{"city":`, `"Oslo"}`}},
			{ID: "call_b", Name: "weather", Arguments: []string{`{"city":"Rome"}`}},
			{ID: "call_c", Name: "no_such_tool", Arguments: []string{`{}`}},
		},
	}), Ask())
	calls := resp.Message.Calls()
	if len(calls) != 3 {
		t.Fatalf("got %d calls, want 3", len(calls))
	}
	seen := make(map[string]bool)
	for i, want := range []struct{ name, arguments string }{
		{"weather", `{"city":"Oslo"}`}, {"weather", `{"city":"Rome"}`}, {"no_such_tool", `{}`},
	} {
		if calls[i].Name != want.name || string(calls[i].Arguments) != want.arguments {
			t.Errorf("call %d is %s(%s), want %s(%s)", i, calls[i].Name, calls[i].Arguments, want.name, want.arguments)
		}
		if calls[i].ID == "" || seen[calls[i].ID] {
			t.Errorf("call %d has id %q, want one of its own", i, calls[i].ID)
		}
		seen[calls[i].ID] = true
	}
	if strings.Join(l.calls, " ") != "weather weather no_such_tool" {
		t.Errorf("calls announced: %v", l.calls)
	}
	if resp.Stop != model.StopToolCalls {
		t.Errorf("stop is %q, want tool_calls", resp.Stop)
	}
}

// Sentence 2: broken arguments stay as they came, and the transcript can still be stored and read.
func testBrokenArguments(t *testing.T, subject Subject) {
	const broken = `{"city": "Os`
	resp, _ := stream(t, subject(t, Reply{Calls: []Call{{ID: "call_a", Name: "weather", Arguments: []string{broken}}}}), Ask())
	calls := resp.Message.Calls()
	if len(calls) != 1 || string(calls[0].Arguments) != broken {
		t.Fatalf("calls are %+v, want one with the arguments as sent", calls)
	}
	stored, err := json.Marshal(resp.Message)
	if err != nil {
		t.Fatalf("a message with broken arguments cannot be stored: %v", err)
	}
	var back model.Message
	if err := json.Unmarshal(stored, &back); err != nil || string(back.Calls()[0].Arguments) != broken {
		t.Errorf("read back %+v (%v), want the arguments as sent", back, err)
	}
}

func testNoArguments(t *testing.T, subject Subject) {
	resp, _ := stream(t, subject(t, Reply{Calls: []Call{{ID: "call_a", Name: "now"}}}), Ask())
	calls := resp.Message.Calls()
	if len(calls) != 1 || string(calls[0].ArgumentsObject()) != `{}` {
		t.Errorf("calls are %+v, want one whose arguments are an empty object", calls)
	}
}

// Sentence 9: nothing is an answer.
func testNothing(t *testing.T, subject Subject) {
	resp, l := stream(t, subject(t, Reply{}), Ask())
	if len(resp.Message.Parts) != 0 || l.pieces != 0 {
		t.Errorf("got parts %+v and %d pieces of text, want none", resp.Message.Parts, l.pieces)
	}
	if resp.Stop != model.StopEnd {
		t.Errorf("stop is %q, want end", resp.Stop)
	}
}

func testNilSink(t *testing.T, subject Subject) {
	p := subject(t, Reply{Text: []string{"All ", "good."}, Calls: []Call{{ID: "call_a", Name: "weather"}}})
	resp, err := p.Stream(t.Context(), Ask(), nil)
	if err != nil || resp.Message.Text() != "All good." {
		t.Errorf("got %q, %v", resp.Message.Text(), err)
	}
}

func testCancelledBefore(t *testing.T, subject Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := subject(t, Reply{Text: []string{"Too late."}}).Stream(ctx, Ask(), func(e model.Event) {
		t.Errorf("event %+v of a cancelled request", e)
	})
	var failure *model.Error
	if !errors.As(err, &failure) || failure.Kind != model.KindCancelled || failure.Retryable {
		t.Errorf("error is %v, want one of kind cancelled that is not retryable", err)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v does not wrap context.Canceled", err)
	}
}
