package provider

import (
	"net/http"
	"strings"

	"mindroom/internal/model/modeltest"
)

// stage makes the scenes of one provider.
type stage struct{ modeltest.Dialect }

// fine answers with text.
func (s stage) fine() modeltest.Scene {
	return modeltest.Scene{Frames: s.Frames(modeltest.Reply{Text: []string{"All ", "is ", "well."}})}
}

// calls answers with one complete call.
func (s stage) calls() modeltest.Scene {
	return modeltest.Scene{Frames: s.Frames(modeltest.Reply{Calls: []modeltest.Call{call}})}
}

var call = modeltest.Call{ID: "call_a", Name: "echo", Arguments: []string{`{"key":`, `"a"}`}}

// nothing answers without a word.
func (s stage) nothing() modeltest.Scene {
	return modeltest.Scene{Frames: s.Frames(modeltest.Reply{})}
}

// upTo are the frames of a reply before and with the one that holds mark.
func (s stage) upTo(r modeltest.Reply, mark string) []string {
	frames := s.Frames(r)
	for i, f := range frames {
		if strings.Contains(f, mark) {
			return frames[:i+1]
		}
	}
	panic("no frame holds " + mark)
}

// begun says "Once upon" and then does as then says.
func (s stage) begun(then modeltest.After) modeltest.Scene {
	return modeltest.Scene{Frames: s.upTo(modeltest.Reply{Text: []string{"Once ", "upon ", "a time"}}, "upon "), Then: then}
}

// opened sends the first event alone, in which nothing is said.
func (s stage) opened(then modeltest.After) modeltest.Scene {
	return modeltest.Scene{Frames: s.Frames(modeltest.Reply{Text: []string{"never"}})[:1], Then: then}
}

// alive sends the keep-alive bytes of the stream and nothing else.
func (s stage) alive() modeltest.Scene {
	return modeltest.Scene{Frames: []string{": keep-alive\n\n"}, Then: modeltest.Drip}
}

// halfCall ends in the middle of a call's arguments, after text if there is any.
func (s stage) halfCall(text ...string) modeltest.Scene {
	return modeltest.Scene{Frames: s.upTo(modeltest.Reply{Text: text, Calls: []modeltest.Call{call}}, `{\"key\":`), Then: modeltest.Cut}
}

// broken sends a failure inside the stream, after text if begun.
func (s stage) broken(begun bool) modeltest.Scene {
	scene := s.opened(modeltest.Finish)
	if begun {
		scene = s.begun(modeltest.Finish)
	}
	scene.Frames = append(append([]string(nil), scene.Frames...), s.ErrorFrame)
	return scene
}

// status is an HTTP error, which repeats the key as providers like to.
func (s stage) status(code int, header ...string) modeltest.Scene {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return modeltest.Scene{Status: code, Header: h, Body: s.ErrorBody("no, not with the key " + modeltest.Key)}
}

// tooLong is how the provider refuses a conversation longer than the window.
func (s stage) tooLong() modeltest.Scene {
	body := `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9000 tokens > 8000 maximum"}}`
	if s.Env == "OPENAI_API_KEY" {
		body = `{"error":{"message":"maximum context length","type":"invalid_request_error","code":"context_length_exceeded"}}`
	}
	return modeltest.Scene{Status: http.StatusBadRequest, Body: body}
}

// garbled is a stream whose events are no JSON, or no events at all.
func (s stage) garbled() modeltest.Scene {
	return modeltest.Scene{Frames: []string{"event: message_start\ndata: {\"type\":\"message_start\", oops\n\n"}}
}

func page() modeltest.Scene {
	return modeltest.Scene{Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: "<html>Please sign in to the hotel network.</html>"}
}
