package openai

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
)

func FuzzStream(f *testing.F) { modeltest.FuzzStream(f, dialect) }

// ask streams the given deltas of a tool-calling answer.
func ask(t *testing.T, deltas ...string) (model.Response, []model.Event) {
	t.Helper()
	s := modeltest.NewServer(t)
	for _, d := range deltas {
		s.Frames = append(s.Frames, chunk(d, "null"))
	}
	s.Frames = append(s.Frames, chunk(`{}`, `"stop"`), data("[DONE]"))
	var events []model.Event
	resp, err := dialect.Provider(t, s, model.IdleTimeout).Stream(t.Context(), modeltest.Ask(), func(e model.Event) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	return resp, events
}

// Sentence 2: servers differ in how they number parallel calls.
func TestCallsAreToldApart(t *testing.T) {
	t.Parallel()
	for name, deltas := range map[string][]string{
		"interleaved by index": {
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":""}},{"index":1,"id":"b","function":{"name":"y","arguments":""}}]}`,
			`{"tool_calls":[{"index":1,"function":{"arguments":"{\"n\":2}"}},{"index":0,"function":{"arguments":"{\"n\":"}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`,
		},
		"one index, two ids": {
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}}]}`,
			`{"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":"{\"n\":2}"}}]}`,
		},
		"one index, no ids": {
			`{"tool_calls":[{"function":{"name":"x","arguments":"{\"n\":1}"}}]}`,
			`{"tool_calls":[{"function":{"name":"y","arguments":"{\"n\":2}"}}]}`,
		},
		"id and name repeated in each piece": {
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":"}}]}`,
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"1}"}}]}`,
			`{"tool_calls":[{"index":1,"id":"b","function":{"name":"y","arguments":"{\"n\":2}"}}]}`,
		},
		"the same id twice": {
			`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\":1}"}},{"index":1,"id":"a","function":{"name":"y","arguments":"{\"n\":2}"}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, _ := ask(t, deltas...)
			calls := resp.Message.Calls()
			if len(calls) != 2 || calls[0].Name != "x" || calls[1].Name != "y" ||
				string(calls[0].Arguments) != `{"n":1}` || string(calls[1].Arguments) != `{"n":2}` {
				t.Fatalf("calls are %+v", calls)
			}
			if calls[0].ID == "" || calls[0].ID == calls[1].ID {
				t.Errorf("ids are %q and %q", calls[0].ID, calls[1].ID)
			}
			if resp.Stop != model.StopToolCalls {
				t.Errorf("stop is %q although there are calls", resp.Stop)
			}
		})
	}
}

// Sentence 3: Google's thought signature returns with its call; TestBodyOfALongTranscript holds the way back.
func TestExtraContentIsOpaque(t *testing.T) {
	t.Parallel()
	const raw = `{"google": {"thought_signature":"sig=="}}`
	resp, _ := ask(t, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"},"extra_content":`+raw+`}]}`)
	parts := resp.Message.Parts
	if len(parts) != 2 || parts[1].Kind != model.PartOpaque || string(parts[1].Opaque.Raw) != raw || parts[1].Opaque.Model != "test-model" {
		t.Errorf("parts are %+v, want the call and then its extra content, byte for byte", parts)
	}
}

func TestReasoningIsStreamedAndNotKept(t *testing.T) {
	t.Parallel()
	resp, events := ask(t, `{"reasoning_content":"hm "}`, `{"reasoning":"so"}`, `{"reasoning_content":null,"content":"Yes."}`, `{"reasoning":{"odd":1}}`)
	want := []model.Event{{Reasoning: "hm "}, {Reasoning: "so"}, {Text: "Yes."}}
	if !reflect.DeepEqual(events, want) {
		t.Errorf("events are %+v, want %+v", events, want)
	}
	if len(resp.Message.Parts) != 1 || resp.Message.Text() != "Yes." {
		t.Errorf("answer is %+v", resp.Message)
	}
}

func TestRefusal(t *testing.T) {
	t.Parallel()
	resp, _ := ask(t, `{"refusal":"I would "}`, `{"refusal":"rather not."}`)
	if resp.Stop != model.StopRefusal || resp.Message.Text() != "I would rather not." {
		t.Errorf("got %+v", resp)
	}
}

func TestErrorCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int // 0: inside the stream
		body   string
		want   model.Kind
		retry  bool
		detail string
	}{
		{"too long", 400, `{"error":{"message":"m","code":"context_length_exceeded"}}`, model.KindContextOverflow, false, "m"},
		{"too long for llama.cpp", 400, `{"error":{"code":400,"message":"m","type":"exceed_context_size_error"}}`, model.KindContextOverflow, false, "m"},
		{"no credit", 429, `{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}`, model.KindRateLimit, false, "m"},
		{"policy", 400, `{"error":{"message":"m","code":"content_filter"}}`, model.KindRefused, false, "m"},
		{"bare text", 404, `{"error":"model 'x' not found"}`, model.KindBadRequest, false, "model 'x' not found"},
		{"another shape", 422, `{"detail":[{"msg":"m"}]}`, model.KindBadRequest, false, ""},
		{"no JSON", 500, `oops`, model.KindOverloaded, true, ""},
		{"limit in the stream", 0, `{"error":{"message":"m","code":429}}`, model.KindRateLimit, true, "m"},
		{"limit in the stream, by name", 0, `{"error":{"message":"m","code":"rate_limit_exceeded"}}`, model.KindRateLimit, true, "m"},
		{"key in the stream", 0, `{"error":{"message":"m","code":"invalid_api_key"}}`, model.KindAuth, false, ""},
		{"request in the stream", 0, `{"error":{"message":"m","type":"invalid_request_error"}}`, model.KindBadRequest, false, "m"},
		{"text in the stream", 0, `{"error":"out of memory"}`, model.KindOverloaded, true, "out of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.NewServer(t)
			s.Status, s.Body = c.status, c.body
			s.Frames = []string{data(c.body)}
			_, err := dialect.Provider(t, s, model.IdleTimeout).Stream(t.Context(), modeltest.Ask(), nil)
			var failure *model.Error
			if !errors.As(err, &failure) || failure.Kind != c.want || failure.Retryable != c.retry || failure.Detail != c.detail {
				t.Errorf("error is %+v, want %s, retryable %v, detail %q", err, c.want, c.retry, c.detail)
			}
			if strings.Contains(failure.Sentence(), "out of memory") {
				t.Errorf("the room would read the provider's words: %q", failure.Sentence())
			}
		})
	}
}
