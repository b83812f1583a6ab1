package wire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/model"
	"mindroom/internal/model/wire"
	"mindroom/internal/secret"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // For a clock that stands still.
		for _, c := range []struct {
			ms, after string
			want      time.Duration
		}{
			{"", "", 0},
			{"", "7", 7 * time.Second},
			{"", " 1.5 ", 1500 * time.Millisecond},
			{"250", "7", 250 * time.Millisecond},
			{"soon", "7", 7 * time.Second},
			{"", "-1", 0},
			{"", "NaN", 0},
			{"", "soon", 0},
			{"", "1e300", 24 * time.Hour},
			{"", time.Now().Add(90 * time.Second).UTC().Format(http.TimeFormat), 90 * time.Second},
			{"", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), 0},
			{"", time.Now().Add(1000 * time.Hour).UTC().Format(http.TimeFormat), 24 * time.Hour},
		} {
			header := http.Header{}
			header.Set("Retry-After", c.after)
			header.Set("Retry-After-Ms", c.ms)
			if got := wire.RetryAfter(header); got != c.want {
				t.Errorf("ms %q, after %q: got %s, want %s", c.ms, c.after, got, c.want)
			}
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("7")
	f.Add("Wed, 21 Oct 2015 07:28:00 GMT")
	f.Fuzz(func(t *testing.T, value string) {
		if got := wire.RetryAfter(http.Header{"Retry-After": {value}}); got < 0 || got > 24*time.Hour {
			t.Fatalf("%q asks for %s", value, got)
		}
	})
}

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                                  "plain",
		"two\nlines\tand  more ":                 "two lines and more",
		"key my-own-key refused":                 "key [redacted] refused",
		"Incorrect API key: sk-proj-abc***xyz.":  "Incorrect API key: [redacted]",
		"header Authorization: Bearer abc.def":   "header Authorization: Bearer [redacted]",
		`Post "https://me:pw@host/v1": refused`:  `Post "https://me:[redacted]@host/v1": refused`,
		"bad \xff byte":                          "bad \uFFFD byte",
		"task-force and asks-for nothing secret": "task-force and asks-for nothing secret",
	} {
		if got := wire.Clean(text, secret.New("my-own-key")); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	if got := wire.Clean(strings.Repeat("ö", 1000), secret.Value{}); len(got) > 410 || !strings.HasSuffix(got, "ö…") {
		t.Errorf("a long text became %d bytes: %q", len(got), got)
	}
}

func FuzzClean(f *testing.F) {
	key := secret.New("s3cr3t")
	f.Add("a s3cr3t\xff and sk-123456789")
	f.Fuzz(func(t *testing.T, text string) {
		got := wire.Clean(text, key)
		if strings.Contains(got, "s3cr3t") || strings.ContainsAny(got, "\n\r") || len(got) > 410 {
			t.Fatalf("%q became %q", text, got)
		}
	})
}

// silent is a body that gives its pieces with the given pauses, and respects the request's context.
type silent struct {
	ctx    context.Context
	pauses []time.Duration
	closed bool
}

func (s *silent) Read(p []byte) (int, error) {
	if len(s.pauses) == 0 {
		return 0, io.EOF
	}
	pause := s.pauses[0]
	s.pauses = s.pauses[1:]
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-time.After(pause):
		return copy(p, "x"), nil
	}
}

func (s *silent) Close() error { s.closed = true; return nil }

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestIdle(t *testing.T) {
	t.Parallel()
	const idle = 10 * time.Second
	for name, c := range map[string]struct {
		before time.Duration   // before the headers
		pauses []time.Duration // before each piece of the body
		reader time.Duration   // what the reader takes between two reads
		text   string
		err    error
		took   time.Duration
	}{
		"steady":            {time.Second, []time.Duration{9 * time.Second, 9 * time.Second}, 0, "xx", nil, 19 * time.Second},
		"silent at first":   {11 * time.Second, nil, 0, "", wire.ErrIdle, idle},
		"silent later":      {0, []time.Duration{time.Second, time.Minute}, 0, "x", wire.ErrIdle, 11 * time.Second},
		"slow reader":       {0, []time.Duration{time.Second, time.Second}, time.Hour, "xx", nil, 3*time.Hour + 2*time.Second},
		"long, but talking": {0, []time.Duration{8 * time.Second, 8 * time.Second, 8 * time.Second}, 0, "xxx", nil, 24 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				body := &silent{pauses: c.pauses}
				client := wire.Client(&http.Client{Timeout: time.Second, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					body.ctx = r.Context()
					select {
					case <-r.Context().Done():
						return nil, r.Context().Err()
					case <-time.After(c.before):
					}
					return &http.Response{StatusCode: 200, Body: body, Request: r}, nil
				})}, idle)
				began := time.Now()
				text, err := fetch(t, client, c.reader)
				if text != c.text || !errors.Is(err, c.err) || time.Since(began) != c.took {
					t.Errorf("got %q, %v after %s; want %q, %v after %s", text, err, time.Since(began), c.text, c.err, c.took)
				}
				if body.ctx.Err() == nil {
					t.Error("the request's context was left open")
				}
			})
		})
	}
}

// fetch reads all there is, pausing before each read.
func fetch(t *testing.T, client *http.Client, pause time.Duration) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://model.example", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var text []byte
	for buffer := make([]byte, 8); ; {
		time.Sleep(pause)
		n, err := resp.Body.Read(buffer)
		text = append(text, buffer[:n]...)
		if errors.Is(err, io.EOF) {
			return string(text), nil
		}
		if err != nil {
			return string(text), err
		}
	}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	p := wire.Party{Provider: "acme", Model: "m", Key: secret.New("s3cr3t")}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx   context.Context
		err   error
		kind  model.Kind
		retry bool
	}{
		"the caller left":      {ended, errors.New("reset"), model.KindCancelled, false},
		"silence":              {t.Context(), wire.ErrIdle, model.KindTimeout, true},
		"anything else":        {t.Context(), errors.New("reset of s3cr3t"), model.KindNetwork, true},
		"silence, caller gone": {ended, wire.ErrIdle, model.KindCancelled, false},
		"no reason":            {t.Context(), nil, model.KindNetwork, true},
	} {
		e := p.Broken(c.ctx, c.err)
		if e.Kind != c.kind || e.Retryable != c.retry || strings.Contains(e.Error(), "s3cr3t") || e.Provider != "acme" || e.Model != "m" {
			t.Errorf("%s: got %+v, want %s, retryable %v", name, e, c.kind, c.retry)
		}
	}
}
