package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/model"
	"mindroom/internal/store"
)

func TestAnAnswer(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(says("Good morning, Ann."))
	id := b.ask("$1", "hello")
	b.ends(id, Answered)
	content := b.final(id)
	if content["body"] != "Good morning, Ann." || content["msgtype"] != "m.text" || content["io.mindroom.stream_status"] != "completed" {
		t.Errorf("the room gets %v", content)
	}
	run := content["io.mindroom.ai_run"].(map[string]any)
	if run["usage"].(map[string]any)["total_tokens"] != 15.0 || run["model"].(map[string]any)["id"] != "demo" || run["run_id"] != id {
		t.Errorf("the run reads %v", run)
	}
	first := deliveries(t, b.db)[firstDelivery(id)]
	var placeholder map[string]any
	must(t, json.Unmarshal(first.content, &placeholder))
	if placeholder["body"] != placeholderText || placeholder["msgtype"] != "m.notice" {
		t.Errorf("the placeholder is %v", placeholder)
	}
	relation := placeholder["m.relates_to"].(map[string]any)
	if relation["event_id"] != "$root" || relation["m.in_reply_to"].(map[string]any)["event_id"] != "$1" {
		t.Errorf("the placeholder relates to %v", relation)
	}
	asked := b.model.asked()[0]
	if !strings.Contains(asked.Messages[0].Text(), "hello") || !strings.Contains(asked.System, "You watch.") || len(asked.Tools) != 8 {
		t.Errorf("the model was asked %+v", asked)
	}
}

func TestToolCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(calls("hold", `{"key":"a"}`, "hold", `{"key":"b"}`), says("Both are held."))
	id := b.ask("$1", "hold both")
	// Neither is released before both have begun.
	got := map[string]bool{b.arrives(): true, b.arrives(): true}
	if !got["a"] || !got["b"] {
		t.Fatalf("began %v", got)
	}
	if s := b.row(id).state; s != Dirty {
		t.Errorf("a turn with begun calls is %s", s)
	}
	close(b.tools.release)
	b.ends(id, Answered)
	want := "🔧 `hold` [1]\n🔧 `hold` [2]\n\nBoth are held."
	if b.said(id) != want {
		t.Errorf("the room reads %q, want %q", b.said(id), want)
	}
	if b.final(id)["io.mindroom.visible_body"] != "Both are held." {
		t.Errorf("without calls it reads %v", b.final(id)["io.mindroom.visible_body"])
	}
	trace := b.final(id)["io.mindroom.tool_trace"].(map[string]any)["events"].([]any)
	if len(trace) != 2 || trace[0].(map[string]any)["type"] != "tool_call_completed" || trace[1].(map[string]any)["result_preview"] != "held b" {
		t.Errorf("the trace is %v", trace)
	}
	results := b.model.asked()[1].Messages[2].Results()
	if len(results) != 2 || results[0].Text != "held a" || results[1].Text != "held b" || results[1].CallID != "c1" {
		t.Errorf("the model reads %+v", results)
	}
}

func (b *bundle) arrives() string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patient)
	defer cancel()
	select {
	case key := <-b.tools.arrived:
		return key
	case <-ctx.Done():
		b.t.Fatal("no tool began")
		return ""
	}
}

// What a model gets wrong goes back to it as a result, and the turn goes on.
func TestBadCallsGoBackToTheModel(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		name, arguments string
		want            string
	}{
		"broken JSON":      {"echo", `{"key":"a`, "invalid_arguments"},
		"no object":        {"echo", `["a"]`, "not a JSON object"},
		"nothing":          {"echo", ``, "arguments: "},
		"a wrong type":     {"echo", `{"key":7}`, "expected string"},
		"an unknown tool":  {"eccho", `{"key":"a"}`, "did you mean echo"},
		"a strange name":   {"no such\ttool!", `{}`, "unknown_function"},
		"a tool that asks": {"gated", `{"key":"a"}`, "do not repeat the call"},
		"a tool that fail": {"fail", `{"key":"a"}`, "tool_failure: the probe is broken"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, "", nil)
			b.model.plays(calls(c.name, c.arguments), says("I see."))
			id := b.ask("$1", "do it")
			b.ends(id, Answered)
			results := b.model.asked()[1].Messages[2].Results()
			if len(results) != 1 || !results[0].IsError || (c.want != "arguments: " && !strings.Contains(results[0].Text, c.want)) {
				t.Errorf("the model reads %+v, want %q", results, c.want)
			}
			if c.name == "gated" && b.tools.times("a") != 0 {
				t.Error("a call that needs approval ran")
			}
		})
	}
}

// A model that says nothing useful still ends with something in the room.
func TestEndsThatAreNoAnswers(t *testing.T) {
	t.Parallel()
	response := func(text string, stop model.Stop) answer {
		return func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
			if text == "" {
				return model.Response{Message: model.Message{Role: model.RoleAssistant}, Stop: stop}, nil
			}
			r, err := says(text)(ctx, req, sink)
			r.Stop = stop
			return r, err
		}
	}
	cut := func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
		_, _ = says("Half an ")(ctx, req, sink)
		return model.Response{}, &model.Error{Kind: model.KindNetwork, Provider: "scripted"}
	}
	fall := func(context.Context, model.Request, func(model.Event)) (model.Response, error) { panic("inside") }
	cases := map[string]struct {
		plays  []answer
		state  State
		reason Reason
		want   []string
	}{
		"empty":            {[]answer{response("", model.StopEnd)}, Answered, ReasonEmpty, []string{"empty answer"}},
		"white space":      {[]answer{response(" \n", model.StopEnd)}, Answered, ReasonEmpty, []string{"empty answer"}},
		"empty after text": {[]answer{sayAndCall("Let me see.", "echo", `{"key":"a"}`), response("", model.StopEnd)}, Answered, "", []string{"Let me see."}},
		"refused":          {[]answer{response("", model.StopRefusal)}, Answered, ReasonRefusal, []string{"declined"}},
		"cut off":          {[]answer{response("A long", model.StopMaxTokens)}, Answered, ReasonCut, []string{"A long", "cut off"}},
		"stream cut":       {[]answer{cut}, Failed, "provider_network", []string{"Half an", "**[Response interrupted by an error: The model provider (scripted) could not be reached"}},
		"a panic":          {[]answer{fall}, Failed, ReasonPanic, []string{"**[Response interrupted by an error: "}},
		"a call ends it":   {[]answer{calls("leave", `{"key":"a"}`)}, Answered, "", []string{"🔧 `leave` [1]"}},
		"the same failure": {[]answer{calls("fail", `{"key":"a"}`), calls("fail", `{ "key": "a" }`), calls("fail", `{"key":"a"}`)}, Failed, ReasonRepeats, []string{"keeps failing"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, "", nil)
			b.model.plays(c.plays...)
			id := b.ask("$1", "go")
			b.ends(id, c.state)
			if got := b.row(id).reason; got != string(c.reason) {
				t.Errorf("the reason is %q, want %q", got, c.reason)
			}
			for _, want := range c.want {
				if !strings.Contains(b.said(id), want) {
					t.Errorf("the room reads %q, which lacks %q", b.said(id), want)
				}
			}
		})
	}
}

// A message that was taken back before its turn came is not answered.
func TestAMessageThatIsGone(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.stop()
	id := b.ask("$1", "hello")
	redact(t, b.db, "$1")
	b.reopen()
	b.ends(id, Failed)
	if b.row(id).reason != string(ReasonNoTrigger) || len(b.model.asked()) != 0 {
		t.Errorf("reason %s, asked %d times", b.row(id).reason, len(b.model.asked()))
	}
}

func sayAndCall(text, name, arguments string) answer {
	return func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
		said, _ := says(text)(ctx, req, sink)
		called, err := calls(name, arguments)(ctx, req, sink)
		called.Message.Parts = append(said.Message.Parts, called.Message.Parts...)
		return called, err
	}
}

// A model that never comes to an end is stopped.
func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	for i := range maxRounds + 1 {
		b.model.plays(calls("echo", fmt.Sprintf(`{"key":"%d"}`, i)))
	}
	id := b.ask("$1", "go")
	b.ends(id, Failed)
	if n := len(b.model.asked()); n != maxRounds || b.row(id).reason != string(ReasonRounds) {
		t.Errorf("asked %d times, reason %s", n, b.row(id).reason)
	}
}

func TestCallsOfATurnAreCapped(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "defaults: {max_tool_calls_per_turn: 2}\n", nil)
	b.model.plays(calls("echo", `{"key":"a"}`, "echo", `{"key":"b"}`, "echo", `{"key":"c"}`), calls("echo", `{"key":"d"}`), says("Enough."))
	id := b.ask("$1", "go")
	b.ends(id, Answered)
	if b.tools.times("a")+b.tools.times("b") != 2 || b.tools.times("c")+b.tools.times("d") != 0 {
		t.Errorf("ran %v", b.tools.ran)
	}
	if r := b.model.asked()[2].Messages[4].Results()[0]; !r.IsError || !strings.Contains(r.Text, "quota_exceeded") {
		t.Errorf("over the cap the model reads %+v", r)
	}
}

func TestHiddenCallsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "defaults: {show_tool_calls: false}\n", nil)
	b.model.plays(calls("echo", `{"key":"a"}`), says("Done."))
	id := b.ask("$1", "go")
	b.ends(id, Answered)
	raw, err := json.Marshal(b.final(id))
	must(t, err)
	if b.said(id) != "Done." || strings.Contains(string(raw), "echo") {
		t.Errorf("the room gets %s", raw)
	}
}

func TestWithoutStreamingThereIsOneMessage(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "defaults: {enable_streaming: false}\n", nil)
	b.model.plays(says("At once."))
	id := b.ask("$1", "go")
	b.ends(id, Answered)
	all := deliveries(t, b.db)
	if len(all) != 1 || b.said(id) != "At once." || b.final(id)["m.relates_to"] == nil {
		t.Errorf("the outbox holds %v, the last is %v", keys(all), b.final(id))
	}
}

func TestALongResultIsSaved(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	b := newBundle(t, "", func(p *Parts) {
		p.Room.Workspace = func(*config.Snapshot, identity.Execution) string { return workspace }
	})
	b.model.plays(calls("long", `{"key":"x"}`), says("It is long."))
	b.ends(b.ask("$1", "go"), Answered)
	var got struct {
		Output struct {
			Status, Path, Format, Preview string
			Bytes                         int
		} `json:"mindroom_tool_output"`
	}
	result := b.model.asked()[1].Messages[2].Results()[0]
	must(t, json.Unmarshal([]byte(result.Text), &got))
	saved, err := os.ReadFile(filepath.Join(workspace, got.Output.Path))
	must(t, err)
	if string(saved) != strings.Repeat("x", 60<<10) || got.Output.Bytes != len(saved) || len(got.Output.Preview) != 8<<10 ||
		got.Output.Format != "text" || got.Output.Status != "saved_to_file" || result.IsError {
		t.Errorf("saved %d bytes, the model reads %.200s", len(saved), result.Text)
	}
}

// A second request of an agent for one message is known.
func TestOneTurnAMessage(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(says("Once."))
	id := b.ask("$1", "hello")
	b.ends(id, Answered)
	must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
		return b.engine.Create(tx, Request{Agent: "watcher", Account: ownID, Room: roomID, ThreadRoot: "$root", TriggerEvent: "$1"})
	}))
	b.idle()
	if n := len(b.model.asked()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

func (b *bundle) idle() {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patient)
	defer cancel()
	must(b.t, b.engine.Idle(ctx))
}

// In one conversation turns are answered one after another in their order;
// other conversations do not wait for them.
func TestOrderWithinAConversation(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	var reached [3]chan struct{}
	for i := range reached {
		reached[i] = make(chan struct{})
	}
	open := make(chan struct{})
	wait := func(i int, until <-chan struct{}) answer {
		return func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
			close(reached[i])
			<-until
			return says(fmt.Sprintf("answer %d", i))(ctx, req, sink)
		}
	}
	b.model.plays(wait(0, open))
	first := b.ask("$1", "first")
	<-reached[0]
	b.model.plays(wait(1, open), wait(2, open))
	second := b.ask("$2", "second")
	other := b.askIn("$elsewhere", "$3", "elsewhere")
	<-reached[1] // asked while the first still holds its conversation
	if got := b.model.asked()[1].Messages; !strings.Contains(got[len(got)-1].Text(), "elsewhere") {
		t.Errorf("the second to be asked was %v", got)
	}
	if s := b.row(second).state; s != Clean {
		t.Errorf("the second of the conversation is %s", s)
	}
	close(open)
	b.ends(first, Answered)
	b.ends(other, Answered)
	b.ends(second, Answered)
	if b.said(first) != "answer 0" || b.said(second) != "answer 2" {
		t.Errorf("first %q, second %q", b.said(first), b.said(second))
	}
}

// A commit that fails after a batch loses nothing of it: the store is tried
// again, the tool is not.
func TestAFullDiskCostsNoCall(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "defaults: {enable_streaming: false}\n", nil) // so that no edit in progress takes the failure
	b.model.plays(calls("hold", `{"key":"a"}`), says("It held."))
	id := b.ask("$1", "hello")
	b.arrives()
	var failed atomic.Int32
	b.db.SetFault(func(p store.Point) error {
		var settled bool
		if p == store.BeforeCommit && b.tools.times("a") == 1 && failed.Load() < 2 {
			settled = failed.Add(1) > 1 // the first is the end of the call itself
		}
		if settled {
			return store.ErrFull
		}
		return nil
	})
	close(b.tools.release)
	b.ends(id, Answered)
	if n := b.tools.times("a"); n != 1 || failed.Load() != 2 || !strings.Contains(b.said(id), "It held.") {
		t.Errorf("the tool ran %d times, %d commits failed, the room reads %q", n, failed.Load(), b.said(id))
	}
}
