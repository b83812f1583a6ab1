package http1

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func clientOf(t *testing.T, url string) *Client {
	t.Helper()
	o, err := ParseOrigin(url)
	if err != nil {
		t.Fatal(err)
	}
	c := &Client{Origin: o}
	t.Cleanup(c.Close)
	return c
}

// TestOverTheWire asks a server of net/http: what it hears, and that the connection is kept.
func TestOverTheWire(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer t" || r.Header.Get("X-Window") != "w 1" || r.Header.Get("Accept") != "application/json" {
			t.Errorf("heard %v, %v", r.Header, err)
		}
		if r.Method == "POST" && (string(body) != `{"a":1}` || r.Header.Get("Content-Type") != "application/json") {
			t.Errorf("heard the body %q, %v", body, r.Header)
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, r.Host+" "+r.Method+" "+r.RequestURI)
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	c := clientOf(t, server.URL)
	header := [][2]string{{"Authorization", "Bearer t"}, {"X-Window", "w 1"}}
	for _, q := range []Request{
		{Method: "POST", Path: "/p", Header: header, Body: []byte(`{"a":1}`)},
		{Method: "GET", Path: "/c?wait=3", Header: header},
		{Method: "GET", Path: "/c", Header: header},
	} {
		resp, err := c.Do(t.Context(), q)
		if want := strings.TrimPrefix(server.URL, "http://") + " " + q.Method + " " + q.Path; err != nil || resp.Status != 202 || string(resp.Body) != want {
			t.Errorf("%d %q, %v; want %q", resp.Status, resp.Body, err, want)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections, want one that is kept", n)
	}
}

// TestOverTLS holds that certificates are judged, and that an answer may come late there too.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	slow := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-slow
		_, _ = io.WriteString(w, "{}")
	}))
	server.Config.ErrorLog = quiet
	server.StartTLS()
	t.Cleanup(server.Close)
	c := clientOf(t, server.URL)
	if _, err := c.Do(t.Context(), Request{Method: "GET", Path: "/"}); err == nil || sent(err) {
		t.Errorf("a certificate of nobody was taken: %v", err)
	}
	c.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
	c.TLS.RootCAs.AddCert(server.Certificate())
	c.Slow = sync.OnceFunc(func() { close(slow) })
	for range 2 {
		if resp, err := c.Do(t.Context(), Request{Method: "POST", Path: "/", Body: []byte("{}")}); err != nil || string(resp.Body) != "{}" {
			t.Errorf("%+v, %v", resp, err)
		}
	}
}

// sent tells whether an error leaves open that the request was heard.
func sent(err error) bool {
	var e *Error
	return !errors.As(err, &e) || e.Sent
}

func TestWhatWasSent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = clientOf(t, url).Do(t.Context(), Request{Method: "POST", Path: "/", Body: []byte("{}")})
	if !Refused(err) || sent(err) {
		t.Errorf("nobody listens: %v", err)
	}
	c := clientOf(t, url)
	_, err = c.Do(t.Context(), Request{Method: "GET", Path: "/", Header: [][2]string{{"X", "a\r\nInjected: b"}}})
	if err == nil || sent(err) || Refused(err) || strings.Contains(err.Error(), "Injected") {
		t.Errorf("a line break in a header: %v", err)
	}
}

// stage answers connections one after the other with what plays give, and closes them.
func stage(t *testing.T, plays ...func(q *http.Request, conn net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, play := range plays {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			q, err := http.ReadRequest(bufio.NewReader(conn))
			if err != nil {
				t.Errorf("the request cannot be read: %v", err)
			} else {
				play(q, conn)
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return "http://" + l.Addr().String()
}

func say(text string) func(*http.Request, net.Conn) {
	return func(_ *http.Request, conn net.Conn) { _, _ = io.WriteString(conn, crlf(text)) }
}

const kept = "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}"

// TestAKeptConnectionThatIsClosed holds that only what changes nothing is asked again.
func TestAKeptConnectionThatIsClosed(t *testing.T) {
	t.Parallel()
	c := clientOf(t, stage(t, say(kept), say(kept)))
	for range 2 {
		if _, err := c.Do(t.Context(), Request{Method: "GET", Path: "/"}); err != nil {
			t.Errorf("the connection was closed between two reads: %v", err)
		}
	}
	c = clientOf(t, stage(t, say(kept)))
	if _, err := c.Do(t.Context(), Request{Method: "GET", Path: "/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do(t.Context(), Request{Method: "POST", Path: "/", Body: []byte("{}")}); err == nil || !sent(err) {
		t.Errorf("a submission on a closed connection: %v", err)
	}
}

func TestAnswersThatStop(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"": ErrNoAnswer, "HTTP/1.1 200 OK\n": ErrTruncated, "HTTP/1.1 200 OK\nContent-Length: 9\n\n{}": ErrTruncated,
	} {
		_, err := clientOf(t, stage(t, say(text))).Do(t.Context(), Request{Method: "POST", Path: "/", Body: []byte("{}")})
		if !errors.Is(err, want) || !sent(err) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// TestARedirectIsAnAnswer holds that nobody goes after it.
func TestARedirectIsAnAnswer(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	resp, err := clientOf(t, stage(t, say("HTTP/1.1 307 Moved\nLocation: "+elsewhere.URL+"/\nContent-Length: 0\n\n"))).
		Do(t.Context(), Request{Method: "POST", Path: "/", Body: []byte("{}")})
	if err != nil || resp.Status != 307 {
		t.Errorf("%+v, %v", resp, err)
	}
}

// TestARefusalBeforeTheBodyWasRead holds that an early answer is heard, though the server reads no more.
func TestARefusalBeforeTheBodyWasRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(server.Close)
	resp, err := clientOf(t, server.URL).Do(t.Context(), Request{Method: "POST", Path: "/", Body: []byte(strings.Repeat(" ", 65536))})
	if err != nil || resp.Status != 401 {
		t.Errorf("%+v, %v", resp, err)
	}
}

// TestTheEndOfAContext holds that a wait ends when its context does, whichever way, and says why.
func TestTheEndOfAContext(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{}, 2)
	wait := func(_ *http.Request, conn net.Conn) {
		heard <- struct{}{}
		_, _ = conn.Read(make([]byte, 1)) // until the client goes
	}
	url := stage(t, wait, wait)
	because := errors.New("a person said so")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-heard
		cancel(because)
	}()
	if _, err := clientOf(t, url).Do(ctx, Request{Method: "GET", Path: "/"}); !errors.Is(err, because) || !sent(err) {
		t.Errorf("cancelled: %v", err)
	}
	ctx, timeout := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, because)
	defer timeout()
	if _, err := clientOf(t, url).Do(ctx, Request{Method: "GET", Path: "/"}); !errors.Is(err, because) {
		t.Errorf("timed out: %v", err)
	}
}
