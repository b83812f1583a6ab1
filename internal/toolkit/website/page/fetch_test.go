package page

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"mindroom/internal/toolkit/website/guard"
)

func reader() *Reader {
	return &Reader{Dialer: &guard.Dialer{AllowPrivate: true}, Limits: Limits{MaxBytes: 64 << 10, Timeout: 20 * time.Second}}
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func serveBody(t *testing.T, contentType, body string) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body)
	})
}

func failure(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error = %v, want an *Error", err)
	}
	return e
}

func TestURLsRefused(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                                         "scheme",
		"example.org":                              "scheme",
		"ftp://example.org/":                       "ftp",
		"file:///etc/passwd":                       "file",
		"javascript:alert(1)":                      "javascript",
		"http:///path":                             "no host",
		"http:example.org":                         "no host",
		"http://anna:hunter2@example.org":          "user name",
		"http://anna@example.org":                  "user name",
		"http://[::1":                              "no URL",
		"http://exa mple.org/?key=s3cret":          "no URL",
		"http://127.0.0.1/":                        "allow_private_addresses",
		"http://[::ffff:7f00:1]/":                  "IPv4-mapped",
		"http://0x7f000001/":                       "numeric",
		"http://2130706433/":                       "numeric",
		"http://127.1/":                            "numeric",
		"http://１２７.0.0.1/":                        "allow_private_addresses",
		"http://169.254.169.254/latest":            "link-local",
		"https://x/" + strings.Repeat("a", maxURL): "longer",
	} {
		r := Reader{Limits: Limits{MaxBytes: 10, Timeout: 5 * time.Second}}
		_, err := r.Read(t.Context(), url)
		e := failure(t, err)
		if !strings.Contains(e.Message, want) || e.Retryable {
			t.Errorf("%.60s: %+v, want a final error with %q", url, e, want)
		}
		if strings.Contains(e.Message, "hunter2") || strings.Contains(e.Message, "s3cret") {
			t.Errorf("%s: the error tells a secret: %s", url, e.Message)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	for code, retryable := range map[int]bool{304: false, 400: false, 401: false, 403: false, 404: false, 410: false, 429: true, 500: true, 503: true} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
		_, err := reader().Read(t.Context(), url+"/p?token=s3cret")
		e := failure(t, err)
		if !strings.Contains(e.Message, fmt.Sprint(code)) || e.Retryable != retryable || strings.Contains(e.Message, "s3cret") {
			t.Errorf("status %d: %+v", code, e)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var base string
	mux := http.NewServeMux()
	mux.HandleFunc("/to/{n}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" {
			t.Errorf("a referer was sent: %s", r.Header.Get("Referer"))
		}
		var n int
		fmt.Sscan(r.PathValue("n"), &n)
		if n == 0 {
			fmt.Fprint(w, "there")
			return
		}
		http.Redirect(w, r, fmt.Sprintf("/to/%d?visit=%d", n-1, time.Now().UnixNano()), http.StatusFound)
	})
	targets := map[string]struct{ location, want string }{
		"mapped":      {"http://[::ffff:127.0.0.1]/", "IPv4-mapped"},
		"metadata":    {"http://169.254.169.254/latest/meta-data", "link-local"},
		"credentials": {"http://u:s3cret@example.org/", "user name"},
		"scheme":      {"file:///etc/passwd", "file"},
		"decimal":     {"http://2130706433/", "numeric"},
	}
	for name, c := range targets {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", c.location)
			w.WriteHeader(http.StatusFound)
		})
	}
	base = serve(t, mux.ServeHTTP)

	p, err := reader().Read(t.Context(), base+"/to/10#part")
	if err != nil || p.Content != "there" || p.URL != base+"/to/10" {
		t.Errorf("ten redirects: %+v, %v; want the text, and the URL that was asked for", p, err)
	}
	_, err = reader().Read(t.Context(), base+"/to/11")
	if e := failure(t, err); !strings.Contains(e.Message, "more than 10") {
		t.Errorf("eleven redirects: %v", e)
	}
	for name, c := range targets {
		_, err := reader().Read(t.Context(), base+"/"+name)
		if e := failure(t, err); !strings.Contains(e.Message, c.want) || strings.Contains(e.Message, "s3cret") {
			t.Errorf("redirect to %s: %v, want %q", name, e, c.want)
		}
	}
}

// only lets one name through to the test's server as if it were public; every
// other goes the ordinary way.
type only struct{ public string }

func (o only) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr(o.public)}, nil
}

// Invariant 2: a name that leads to this host is refused though its URL looks
// public.
func TestNameOfThisHost(t *testing.T) {
	t.Parallel()
	url := serveBody(t, "text/plain", "inside")
	port := url[strings.LastIndexByte(url, ':'):]
	r := reader()
	r.Dialer = &guard.Dialer{Resolver: only{"127.0.0.1"}}
	_, err := r.Read(t.Context(), "http://public.example"+port)
	if e := failure(t, err); !strings.Contains(e.Message, "127.0.0.1") || !strings.Contains(e.Message, "loopback") {
		t.Errorf("error = %v", e)
	}
}

// Invariant 3.
func TestBounds(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 50<<20))
	z.Close()
	for name, h := range map[string]http.HandlerFunc{
		"gzip bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(bytes.Repeat([]byte("a"), 4096)); err != nil {
					return
				}
			}
		},
		"announced": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "65537")
			w.Write(bytes.Repeat([]byte("a"), 65537))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := reader().Read(t.Context(), serve(t, h))
			if e := failure(t, err); !strings.Contains(e.Message, "max_bytes") {
				t.Errorf("error = %v", e)
			}
		})
	}
	t.Run("exactly", func(t *testing.T) {
		t.Parallel()
		p, err := reader().Read(t.Context(), serveBody(t, "text/plain", strings.Repeat("a", 64<<10)))
		if err != nil || len(p.Content) != 64<<10 {
			t.Errorf("%d bytes, %v", len(p.Content), err)
		}
	})
	t.Run("other encoding", func(t *testing.T) {
		t.Parallel()
		_, err := reader().Read(t.Context(), serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, "\x0b\x02\x80hello\x03")
		}))
		if e := failure(t, err); !strings.Contains(e.Message, `"br"`) {
			t.Errorf("error = %v", e)
		}
	})
}

func TestSlow(t *testing.T) {
	t.Parallel()
	// The handler waits for the client to go: a slow answer without a clock.
	slowBody := func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "begin")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	slowHeader := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, h := range map[string]http.HandlerFunc{"body": slowBody, "header": slowHeader} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := reader()
			r.Limits.Timeout = 200 * time.Millisecond
			_, err := r.Read(t.Context(), serve(t, h))
			if e := failure(t, err); !strings.Contains(e.Message, "timeout_seconds") || !e.Retryable {
				t.Errorf("error = %+v", e)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		url := serve(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
		_, err := reader().Read(ctx, url)
		if e := failure(t, err); !strings.Contains(e.Message, "cancelled") {
			t.Errorf("error = %+v", e)
		}
	})
	t.Run("cut off", func(t *testing.T) {
		t.Parallel()
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "part")
		})
		if p, err := reader().Read(t.Context(), url); err == nil {
			t.Errorf("half a page passed for a whole one: %+v", p)
		} else if !failure(t, err).Retryable {
			t.Errorf("a cut connection is final: %v", err)
		}
	})
}
