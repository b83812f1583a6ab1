package modeltest

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"mindroom/internal/model"
)

// patience is an idle time that no test reaches.
const patience = time.Minute

// RunHTTP tests what a provider over HTTP promises, Run included.
func RunHTTP(t *testing.T, d Dialect) {
	t.Helper()
	Run(t, func(t *testing.T, reply Reply) model.Provider {
		s := NewServer(t)
		s.Frames = d.Frames(reply)
		return d.Provider(t, s, patience)
	})
	for name, test := range map[string]func(*testing.T, Dialect){
		"usage":              testUsage,
		"stop reasons":       testStops,
		"cut after each":     testCut,
		"error in stream":    testErrorInStream,
		"statuses":           testStatuses,
		"idle before":        testIdleBefore,
		"idle in the middle": testIdleMiddle,
		"cancelled midway":   testCancelledMidway,
		"unreachable":        testUnreachable,
		"key is sent":        testKeySent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

func story() Reply {
	return Reply{
		Text:  []string{"Let me ", "look."},
		Calls: []Call{{ID: "call_a", Name: "weather", Arguments: []string{`{"city":`, `"Oslo"}`}}},
	}
}

// failed asks and expects a failure that tells nothing it must not.
func failed(ctx context.Context, t *testing.T, p model.Provider) (model.Response, *model.Error) {
	t.Helper()
	resp, err := p.Stream(ctx, Ask(), nil)
	var failure *model.Error
	if !errors.As(err, &failure) {
		t.Fatalf("error is %v, want a *model.Error", err)
	}
	for _, text := range []string{failure.Error(), failure.Sentence()} {
		if strings.Contains(text, Key) || strings.Contains(text, "0123456789abcdef") {
			t.Errorf("the key is in %q", text)
		}
		if strings.TrimSpace(text) == "" || strings.Contains(text, "\n") {
			t.Errorf("%q is not one line of text", text)
		}
	}
	if calls := resp.Message.Calls(); len(calls) != 0 {
		t.Errorf("a failed answer holds calls: %+v", calls)
	}
	return resp, failure
}

func testUsage(t *testing.T, d Dialect) {
	want := model.Usage{Input: 11, Output: 7, CacheRead: 5, CacheWrite: 3, Reasoning: 2}
	s := NewServer(t)
	s.Frames = d.Frames(Reply{Text: []string{"Hi."}, Usage: want})
	resp, _ := stream(t, d.Provider(t, s, patience), Ask())
	if resp.Usage != want {
		t.Errorf("usage is %+v, want %+v", resp.Usage, want)
	}
}

func testStops(t *testing.T, d Dialect) {
	for _, c := range []struct {
		reply Reply
		want  model.Stop
	}{
		{Reply{Text: []string{"a"}, Stop: model.StopMaxTokens}, model.StopMaxTokens},
		{Reply{Text: []string{"a"}, Stop: model.StopRefusal}, model.StopRefusal},
		{Reply{Text: []string{"a"}, RawStop: "a_reason_of_next_year"}, model.StopOther},
		{Reply{Calls: []Call{{ID: "x", Name: "weather"}}, RawStop: "a_reason_of_next_year"}, model.StopToolCalls},
		{Reply{Calls: []Call{{ID: "x", Name: "weather"}}, Stop: model.StopEnd}, model.StopToolCalls},
	} {
		s := NewServer(t)
		s.Frames = d.Frames(c.reply)
		resp, _ := stream(t, d.Provider(t, s, patience), Ask())
		if resp.Stop != c.want {
			t.Errorf("reply %+v stopped with %q (%s), want %q", c.reply, resp.Stop, resp.StopDetail, c.want)
		}
		if c.reply.RawStop != "" && resp.StopDetail != c.reply.RawStop {
			t.Errorf("stop detail is %q, want the provider's word %q", resp.StopDetail, c.reply.RawStop)
		}
	}
}

// Wherever the connection breaks or ends early, the answer is a network failure with the text so far (sentence 7).
func testCut(t *testing.T, d Dialect) {
	frames := d.Frames(story())
	for end := range d.complete(frames) {
		half := frames[end][:len(frames[end])/2] // The frame in which it breaks.
		for _, then := range []After{Cut, Finish} {
			s := NewServer(t)
			s.Frames, s.Then = append(frames[:end:end], half), then
			resp, failure := failed(t.Context(), t, d.Provider(t, s, patience))
			if failure.Kind != model.KindNetwork || !failure.Retryable {
				t.Errorf("cut after %d frames (%v): %v, want a retryable network failure", end, then, failure)
			}
			if !strings.HasPrefix("Let me look.", resp.Message.Text()) {
				t.Errorf("cut after %d frames: text is %q", end, resp.Message.Text())
			}
		}
	}
}

func testErrorInStream(t *testing.T, d Dialect) {
	frames := d.Frames(story())
	s := NewServer(t)
	s.Frames = append(frames[:len(frames)/2:len(frames)/2], d.ErrorFrame)
	_, failure := failed(t.Context(), t, d.Provider(t, s, patience))
	if failure.Kind != model.KindOverloaded || !failure.Retryable {
		t.Errorf("got %v, want a retryable overload", failure)
	}
}

func testStatuses(t *testing.T, d Dialect) {
	page := "<html><body>Bad gateway " + Key + "</body></html>"
	for _, c := range []struct {
		name   string
		status int
		header http.Header
		body   string
		kind   model.Kind
		retry  bool
		after  time.Duration
	}{
		{"refused key", 401, nil, "", model.KindAuth, false, 0},
		{"forbidden", 403, nil, "", model.KindAuth, false, 0},
		{"no credit", 402, nil, "", model.KindRateLimit, false, 0},
		{"bad request", 400, nil, "", model.KindBadRequest, false, 0},
		{"no such model", 404, nil, "", model.KindBadRequest, false, 0},
		{"too large", 413, nil, "", model.KindContextOverflow, false, 0},
		{"limit", 429, nil, "", model.KindRateLimit, true, 0},
		{"limit with a wait", 429, http.Header{"Retry-After": {"7"}}, "", model.KindRateLimit, true, 7 * time.Second},
		{"server error", 500, nil, "", model.KindOverloaded, true, 0},
		{"a proxy's page", 502, http.Header{"Content-Type": {"text/html"}}, page, model.KindOverloaded, true, 0},
		{"an empty body", 503, nil, " ", model.KindOverloaded, true, 0},
		{"overloaded", 529, nil, "", model.KindOverloaded, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(t)
			s.Status, s.Header, s.Body = c.status, c.header, c.body
			if s.Body == "" {
				s.Body = d.ErrorBody("not with\nBearer " + Key + " and " + Key)
			}
			_, failure := failed(t.Context(), t, d.Provider(t, s, patience))
			if failure.Kind != c.kind || failure.Retryable != c.retry || failure.RetryAfter != c.after || failure.Status != c.status {
				t.Errorf("got %+v, want kind %s, retryable %v after %s, status %d", failure, c.kind, c.retry, c.after, c.status)
			}
			if n := len(s.Bodies()); n != 1 {
				t.Errorf("the server was asked %d times, want once: the SDK must not retry", n)
			}
			if c.kind == model.KindAuth && !strings.Contains(failure.Sentence(), d.Env) {
				t.Errorf("%q does not name %s", failure.Sentence(), d.Env)
			}
		})
	}
}

// Sentence 8. The idle time is real here, because so is the connection.
func testIdleBefore(t *testing.T, d Dialect) {
	s := NewServer(t)
	s.Then = Hang
	_, failure := failed(t.Context(), t, d.Provider(t, s, 50*time.Millisecond))
	if failure.Kind != model.KindTimeout || !failure.Retryable {
		t.Errorf("got %v, want a retryable timeout", failure)
	}
}

func testIdleMiddle(t *testing.T, d Dialect) {
	frames := d.Frames(Reply{Text: []string{"Once ", "upon ", "a time"}})
	s := NewServer(t)
	s.Frames, s.Then = frames[:len(frames)/2+1], Hang
	resp, failure := failed(t.Context(), t, d.Provider(t, s, 200*time.Millisecond))
	if failure.Kind != model.KindTimeout {
		t.Errorf("got %v, want a timeout", failure)
	}
	if !strings.HasPrefix(resp.Message.Text(), "Once ") {
		t.Errorf("text is %q, want what was said before the silence", resp.Message.Text())
	}
}

func testCancelledMidway(t *testing.T, d Dialect) {
	frames := d.Frames(Reply{Text: []string{"Once ", "upon ", "a time"}})
	s := NewServer(t)
	s.Frames, s.Then = frames[:len(frames)/2+1], Hang
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := d.Provider(t, s, patience).Stream(ctx, Ask(), func(model.Event) { cancel() })
	var failure *model.Error
	if !errors.As(err, &failure) || failure.Kind != model.KindCancelled || failure.Retryable || !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want cancelled", err)
	}
	if !strings.HasPrefix(resp.Message.Text(), "Once ") {
		t.Errorf("text is %q, want what was said before", resp.Message.Text())
	}
}

func testUnreachable(t *testing.T, d Dialect) {
	s := NewServer(t)
	s.URL = "http://127.0.0.1:1"
	_, failure := failed(t.Context(), t, d.Provider(t, s, patience))
	if failure.Kind != model.KindNetwork || !failure.Retryable {
		t.Errorf("got %v, want a retryable network failure", failure)
	}
}

func testKeySent(t *testing.T, d Dialect) {
	s := NewServer(t)
	s.Frames = d.Frames(Reply{Text: []string{"Hi."}})
	stream(t, d.Provider(t, s, patience), Ask())
	header := s.Headers()[0]
	if !strings.Contains(header.Get("Authorization")+header.Get("X-Api-Key"), Key) {
		t.Errorf("the key did not reach the server")
	}
}
