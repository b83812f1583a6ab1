package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

// Long is a request with everything that a transcript can hold, made by the given provider and by others: blank text,
// broken arguments, an unanswered call, media in messages and results, and opaque parts, of which only the raw one
// belongs to the provider and the model "test-model".
func Long(provider string, raw []byte) model.Request {
	req := Ask()
	png := media.Ref{Digest: "png", MIME: "image/png", Name: "map.png"}
	req.Messages = []model.Message{
		{Role: model.RoleUser, Parts: []model.Part{
			model.TextPart("Where is it <warm>?"),
			model.MediaPart(png),
			model.MediaPart(media.Ref{Digest: "song", MIME: "audio/ogg", Name: "song.ogg"}),
			model.MediaPart(media.Ref{Digest: "lost", MIME: "image/png", Name: "lost.png"}),
		}},
		{Role: model.RoleAssistant, Parts: []model.Part{
			model.OpaquePart(model.Opaque{Provider: "somebody", Model: "test-model", Raw: []byte(`{"foreign":true}`)}),
			model.TextPart("Let me look."),
			model.CallPart(model.Call{ID: "call_a", Name: "weather", Arguments: json.RawMessage(`{"city":"Oslo","n":1.0}`)}),
			model.OpaquePart(model.Opaque{Provider: provider, Model: "test-model", Raw: raw}),
			model.CallPart(model.Call{ID: "call_b", Name: "weather", Arguments: json.RawMessage(`{"city":`)}),
			model.CallPart(model.Call{ID: "call_c", Name: "look up", Arguments: nil}),
			model.OpaquePart(model.Opaque{Provider: provider, Model: "older-model", Raw: []byte(`{"foreign":true}`)}),
		}},
		model.ToolResults(
			model.Result{CallID: "call_a", Name: "weather", Text: "20 °C", Media: []media.Ref{png}},
			model.Result{CallID: "call_b", Name: "weather", Text: "city: expected text", IsError: true},
		),
		model.UserText("And now?"),
	}
	req.Media = func(_ context.Context, ref media.Ref) ([]byte, error) {
		if ref.Digest == "lost" {
			return nil, io.ErrUnexpectedEOF
		}
		return []byte("bytes of " + ref.Digest), nil
	}
	return req
}

// Body is the JSON body that the provider sends for req, indented.
func (d Dialect) Body(t *testing.T, req model.Request) string {
	t.Helper()
	s := NewServer(t)
	s.Frames = d.Frames(Reply{Text: []string{"Fine."}})
	stream(t, d.Provider(t, s, patience), req)
	bodies := s.Bodies()
	var out bytes.Buffer
	if len(bodies) != 1 || json.Indent(&out, []byte(bodies[0]), "", "  ") != nil {
		t.Fatalf("the server received %q, want one JSON document", bodies)
	}
	return out.String() + "\n"
}

// Canned is a transport that answers every request with one stream, without a network.
func Canned(body []byte) http.RoundTripper { return canned(body) }

type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {"text/event-stream"}},
		Body:       io.NopCloser(bytes.NewReader(c)),
		Request:    r,
	}, nil
}
