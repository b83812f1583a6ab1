package anthropic

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
)

func FuzzStream(f *testing.F) { modeltest.FuzzStream(f, dialect) }

// Sentence 2: thinking comes back as it came.
func TestThinkingIsOpaque(t *testing.T) {
	t.Parallel()
	s := modeltest.NewServer(t)
	plain := frames(modeltest.Reply{Calls: []modeltest.Call{{ID: "toolu_1", Name: "weather"}}})
	s.Frames = append(plain[:2:2],
		frame("content_block_start", `{"type":"content_block_start","index":7,"content_block":{"type":"thinking","thinking":"","signature":""}}`),
		frame("content_block_delta", `{"type":"content_block_delta","index":7,"delta":{"type":"thinking_delta","thinking":"hm "}}`),
		frame("content_block_delta", `{"type":"content_block_delta","index":7,"delta":{"type":"thinking_delta","thinking":"<&>"}}`),
		frame("content_block_delta", `{"type":"content_block_delta","index":7,"delta":{"type":"signature_delta","signature":"sig=="}}`),
		frame("content_block_stop", `{"type":"content_block_stop","index":7}`),
		frame("content_block_start", `{"type":"content_block_start","index":8,"content_block":{"type":"redacted_thinking","data":"xyz"}}`),
		frame("content_block_stop", `{"type":"content_block_stop","index":8}`),
	)
	s.Frames = append(s.Frames, plain[2:]...)
	p := dialect.Provider(t, s, model.IdleTimeout)
	req := modeltest.Ask()
	var thoughts string
	resp, err := p.Stream(t.Context(), req, func(e model.Event) { thoughts += e.Reasoning })
	if err != nil {
		t.Fatal(err)
	}
	if thoughts != "hm <&>" || len(resp.Message.Parts) != 3 || resp.Message.Parts[0].Kind != model.PartOpaque || resp.Message.Parts[2].Kind != model.PartCall {
		t.Fatalf("thought %q and answered %+v, want two opaque parts before the call", thoughts, resp.Message)
	}
	req.Messages = append(req.Messages, resp.Message, model.ToolResults(model.Result{CallID: "toolu_1", Text: "ok"}))
	if _, err := p.Stream(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	req.Model = "another-model"
	if _, err := p.Stream(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	bodies := s.Bodies()
	for _, want := range []string{`"signature":"sig=="`, `"thinking":"hm \u003c\u0026\u003e"`, `{"data":"xyz","type":"redacted_thinking"}`} {
		if !strings.Contains(bodies[1], want) {
			t.Errorf("%s did not return to its maker: %s", want, bodies[1])
		}
		if strings.Contains(bodies[2], want) {
			t.Errorf("%s went to another model: %s", want, bodies[2])
		}
	}
}

func TestMissingKeyIsToldAtFirstUse(t *testing.T) {
	t.Parallel()
	p, err := New(model.Settings{ID: "m"})
	if err != nil {
		t.Fatalf("New: %v, want no error before somebody asks", err)
	}
	_, err = p.Stream(t.Context(), modeltest.Ask(), nil)
	var failure *model.Error
	if !errors.As(err, &failure) || failure.Kind != model.KindAuth || failure.Retryable {
		t.Fatalf("error is %v, want auth", err)
	}
	if s := failure.Sentence(); !strings.Contains(s, "has no API key") || !strings.Contains(s, "ANTHROPIC_API_KEY") {
		t.Errorf("the room would read %q", s)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]model.Settings{
		"unknown key":  {ExtraKwargs: map[string]any{"temprature": 1}},
		"bad address":  {Host: "ftp://host"},
		"no address":   {Host: "host:80"},
		"wrong number": {ExtraKwargs: map[string]any{"max_tokens": "many"}},
	} {
		if _, err := New(s); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestErrorTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		status int // 0: inside the stream
		kind   string
		code   string
		want   model.Kind
		retry  bool
	}{
		{"rate limit in the stream", 0, "rate_limit_error", "", model.KindRateLimit, true},
		{"key in the stream", 0, "authentication_error", "", model.KindAuth, false},
		{"unknown in the stream", 0, "some_error", "", model.KindOverloaded, true},
		{"request in the stream", 0, "invalid_request_error", "", model.KindBadRequest, false},
		{"bill", 400, "billing_error", "", model.KindRateLimit, false},
		{"spend limit", 429, "rate_limit_error", "enforced_spend_limit_reached", model.KindRateLimit, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.NewServer(t)
			body := fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":"m","details":{"error_code":%q}}}`, c.kind, c.code)
			s.Status, s.Body = c.status, body
			s.Frames = []string{frame("error", body)}
			_, err := dialect.Provider(t, s, model.IdleTimeout).Stream(t.Context(), modeltest.Ask(), nil)
			var failure *model.Error
			if !errors.As(err, &failure) || failure.Kind != c.want || failure.Retryable != c.retry {
				t.Errorf("error is %+v, want %s, retryable %v", err, c.want, c.retry)
			}
		})
	}
}
