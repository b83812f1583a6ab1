package scripted

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"mindroom/internal/model"
)

// A conversation of two tools, played twice: sentences 1 to 5, and 8.
func TestTwoToolConversation(t *testing.T) {
	t.Parallel()
	p, err := New(model.Settings{Dir: "testdata", ExtraKwargs: map[string]any{"rules": "two_tools.yaml"}})
	if err != nil {
		t.Fatal(err)
	}
	play := func() []model.Message {
		messages := []model.Message{model.UserText(`<msg from="@ann:x">Please watch https://s.example/status now</msg>`)}
		first := say(t, p, messages...)
		messages = append(messages, first.Message)
		calls := first.Message.Calls()
		if first.Message.Text() != "First I read https://s.example/status." || len(calls) != 2 || first.Stop != model.StopToolCalls {
			t.Fatalf("first answer: %+v", first)
		}
		const wantArgs = `{"url":"https://s.example/status","limit":5,"deep":false,"tags":["a","https://s.example/status"],"note":null}`
		if calls[0].Name != "website__read_url" || string(calls[0].Arguments) != wantArgs {
			t.Errorf("first call: %s(%s), want the arguments %s", calls[0].Name, calls[0].Arguments, wantArgs)
		}
		if calls[1].Name != "matrix__context" || string(calls[1].Arguments) != "{}" {
			t.Errorf("second call: %s(%s)", calls[1].Name, calls[1].Arguments)
		}
		messages = append(messages, model.ToolResults(
			model.Result{CallID: calls[0].ID, Name: calls[0].Name, Text: `{"title":"Status","words":12.50}`},
			model.Result{CallID: calls[1].ID, Name: calls[1].Name, Text: `{"title":"other tool"}`},
		))
		second := say(t, p, messages...)
		messages = append(messages, second.Message)
		calls = second.Message.Calls()
		const wantStart = `{"title":"Watch Status","words":12.50,"price":"${5}","source":"URL = \"https://s.example/status\"\nprint(f\"${HOME} is not a place to fill\", URL, \"<&>\")\n"}`
		if len(calls) != 1 || string(calls[0].Arguments) != wantStart {
			t.Fatalf("second answer: %+v\nwant the arguments %s", second.Message, wantStart)
		}
		messages = append(messages, model.ToolResults(
			model.Result{CallID: calls[0].ID, Name: calls[0].Name, Text: `{"run":{"id":"script-1"}}`}))
		last := say(t, p, messages...)
		if last.Message.Text() != `Started script-1 ({"id":"script-1"}).` || last.Stop != model.StopEnd {
			t.Errorf("last answer: %+v", last)
		}
		if last.Usage.Input == 0 || last.Usage.Output == 0 {
			t.Errorf("usage is %+v, want an estimate", last.Usage)
		}
		return append(messages, last.Message)
	}
	first := play()
	if again := play(); !reflect.DeepEqual(first, again) {
		t.Errorf("the same conversation got another answer:\n%+v\n%+v", first, again)
	}
	seen := make(map[string]bool)
	for _, m := range first {
		for _, c := range m.Calls() {
			if seen[c.ID] {
				t.Errorf("call id %s is used twice in one conversation", c.ID)
			}
			seen[c.ID] = true
		}
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	user := model.UserText
	assistant := model.Message{Role: model.RoleAssistant, Parts: []model.Part{model.TextPart("ok")}}
	result := func(name, text string, failed bool) model.Message {
		return model.ToolResults(model.Result{CallID: "c", Name: name, Text: text, IsError: failed})
	}
	for _, c := range []struct {
		name     string
		when     string
		messages []model.Message
		want     bool
	}{
		{"everything", `{}`, []model.Message{user("x")}, true},
		{"agent", `{agent: '^helper$'}`, []model.Message{user("x")}, true},
		{"another agent", `{agent: '^help$'}`, []model.Message{user("x")}, false},
		{"system", `{system: room}`, []model.Message{user("x")}, true},
		{"another system", `{system: kitchen}`, []model.Message{user("x")}, false},
		{"only the last message", `{user: first}`, []model.Message{user("first"), assistant, user("second")}, false},
		{"turn", `{turn: 2}`, []model.Message{user("a"), assistant, user("b")}, true},
		{"another turn", `{turn: 1}`, []model.Message{user("a"), assistant, user("b")}, false},
		{"no result for a person's rule", `{user: a}`, []model.Message{user("a"), assistant, result("t", "x", false)}, false},
		{"no person for a result's rule", `{result: {}}`, []model.Message{user("a")}, false},
		{"any result", `{result: {}}`, []model.Message{user("a"), assistant, result("t", "x", true)}, true},
		{"step", `{result: {}, step: 1}`, []model.Message{user("a"), assistant, result("t", "x", true)}, true},
		{"another step", `{result: {}, step: 2}`, []model.Message{user("a"), assistant, result("t", "x", true)}, false},
		{"whole tool name", `{result: {tool: web}}`, []model.Message{user("a"), result("website", "x", false)}, false},
		{"tool", `{result: {tool: 'web.*'}}`, []model.Message{user("a"), result("website", "x", false)}, true},
		{"failed", `{result: {failed: true}}`, []model.Message{user("a"), result("t", "x", false)}, false},
		{"text of a result", `{result: {text: '^x$'}}`, []model.Message{user("a"), result("t", "x", false)}, true},
		{"all must hold", `{user: a, turn: 3}`, []model.Message{user("a")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := provide(t, "rules:\n  - {when: "+c.when+", say: yes it does}\n")
			got := say(t, p, c.messages...).Message.Text()
			if (got == "yes it does") != c.want {
				t.Errorf("when %s: answered %q, want a match: %v", c.when, got, c.want)
			}
		})
	}
}

// Sentence 7.
func TestSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := provide(t, `
rules:
  - when: {user: go}
    say: going
  - name: taker
    when: {result: {tool: get}}
    say: ${result:/a/1}
`)
	get := func(text string) model.Message { return model.ToolResults(model.Result{Name: "get", Text: text}) }
	for _, c := range []struct {
		last model.Message
		want []string
	}{
		{model.UserText("stay " + strings.Repeat("ö", 600)), []string{"No rule of rules.yaml matches this message: “stay ö", "ö…”"}},
		{model.ToolResults(model.Result{Name: "put", Text: "done"}), []string{"No rule of rules.yaml matches this result of put: “done”"}},
		{get(`{"a":[1]}`), []string{"Rule “taker” of rules.yaml", "${result:/a/1}", `“{"a":[1]}”`}},
		{get(`not json`), []string{"${result:/a/1} is not in the result of get", "“not json”"}},
		{get(`{"a":[1,{"b": "c"}]}`), []string{`{"b": "c"}`}},
		{get("{\"a\":[1,2]}\n\n[@ann:x approved this call.]"), []string{"2"}},
		{get(`{"a":[1,2]} and more`), []string{"${result:/a/1} is not in the result of get"}},
	} {
		got := say(t, p, model.UserText("x"), c.last).Message.Text()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("answered %q, want it to hold %q", got, want)
			}
		}
	}
}

func TestFailAndStop(t *testing.T) {
	t.Parallel()
	p := provide(t, `
rules:
  - when: {user: limit}
    fail: rate_limit
  - when: {user: refuse}
    say: I would rather not.
    stop: refusal
`)
	_, err := p.Stream(t.Context(), model.Request{Messages: []model.Message{model.UserText("limit")}}, nil)
	var failure *model.Error
	if !errors.As(err, &failure) || failure.Kind != model.KindRateLimit || !failure.Retryable || failure.Provider != Name {
		t.Errorf("error is %v, want a retryable rate limit", err)
	}
	if resp := say(t, p, model.UserText("refuse")); resp.Stop != model.StopRefusal {
		t.Errorf("stop is %q, want refusal", resp.Stop)
	}
}

func TestBuiltInRulesRepeatAndCallNothing(t *testing.T) {
	t.Parallel()
	p, err := New(model.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name() != "scripted (offline)" {
		t.Errorf("name is %q", p.Name())
	}
	resp := say(t, p, model.UserText("  Hello,\nyou! ${1} "))
	if !strings.HasSuffix(resp.Message.Text(), "\n\nHello,\nyou! ${1}") || len(resp.Message.Calls()) != 0 {
		t.Errorf("answered %+v, want the message repeated", resp.Message)
	}
	if empty := say(t, p, model.UserText("")); empty.Message.Text() == "" {
		t.Error("an empty message got no answer")
	}
}
