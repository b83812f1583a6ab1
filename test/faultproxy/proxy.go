package faultproxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"time"

	"mindroom/test/forward"
)

// Exchange is one request as the proxy saw it.
type Exchange struct {
	At     time.Time // when the request came
	Method string
	Path   string // as sent, percent-encoded
	Status int    // 0: the client got no answer from us
	// Forwarded says whether the server saw the request.
	Forwarded bool
}

// Proxy is a running reverse proxy. Make one with Start.
type Proxy struct {
	// URL is what the client is given instead of the server's own address.
	URL string

	server    *httptest.Server
	transport *http.Transport
	reverse   http.Handler

	mu    sync.Mutex
	armed []*Armed
	log   []Exchange
}

// Start runs a proxy on a loopback port in front of target, an absolute http
// URL. The caller closes it.
func Start(target string) (*Proxy, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("fault proxy: target %q: %w", target, err)
	}
	p := &Proxy{transport: &http.Transport{}}
	p.reverse = forward.Whole(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport: p.transport,
		// A target that is down must look to the client like a server that
		// is down, not like a polite 502.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) },
	})
	p.server = httptest.NewServer(p)
	p.URL = p.server.URL
	return p, nil
}

// Close cuts what is in flight and stops the proxy.
func (p *Proxy) Close() {
	p.server.CloseClientConnections()
	p.server.Close()
	p.transport.CloseIdleConnections()
}

// CutAll closes every open connection, as a server that is restarted does.
func (p *Proxy) CutAll() { p.server.CloseClientConnections() }

// Arm puts a fault in place behind those already there.
func (p *Proxy) Arm(f Fault) *Armed {
	a := &Armed{fault: f, wake: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = append(p.armed, a)
	return a
}

// Exchanges is a copy of the log, oldest first; match nil means all.
func (p *Proxy) Exchanges(match func(Exchange) bool) []Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []Exchange
	for _, e := range p.log {
		if match == nil || match(e) {
			out = append(out, e)
		}
	}
	return out
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := Exchange{At: time.Now(), Method: r.Method, Path: r.URL.EscapedPath()}
	defer func() {
		p.mu.Lock()
		p.log = append(p.log, x)
		p.mu.Unlock()
	}()
	f := p.faultFor(r)
	if f.Hold != nil {
		select {
		case <-f.Hold:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	if f.Delay > 0 {
		late := time.NewTimer(f.Delay)
		defer late.Stop()
		select {
		case <-late.C:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	if f.Change != nil {
		f.Change(r)
	}
	switch {
	case f.DropRequest:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		if f.Stored {
			x.Forwarded = true
			p.reverse.ServeHTTP(&discard{header: http.Header{}}, r)
		}
		for k, v := range f.Header {
			w.Header()[k] = v
		}
		x.Status = f.Status
		w.Header().Set("Content-Length", strconv.Itoa(len(f.Body)))
		w.WriteHeader(f.Status)
		_, _ = io.WriteString(w, f.Body)
	case f.DropReply:
		x.Forwarded = true
		p.reverse.ServeHTTP(&discard{header: http.Header{}}, r)
		panic(http.ErrAbortHandler)
	default:
		x.Forwarded = true
		seen := &statusWriter{ResponseWriter: w}
		defer func() { x.Status = seen.status }()
		p.reverse.ServeHTTP(seen, r)
	}
}

func (p *Proxy) faultFor(r *http.Request) Fault {
	p.mu.Lock()
	armed := append([]*Armed(nil), p.armed...)
	p.mu.Unlock()
	for _, a := range armed {
		if a.take(r) {
			return a.fault
		}
	}
	return Fault{}
}

// statusWriter notes the status that passed through.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (s *statusWriter) WriteHeader(code int) {
	s.status = code
	s.ResponseWriter.WriteHeader(code)
}

// Unwrap lets the reverse proxy flush long polls.
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// discard takes an answer that nobody will get.
type discard struct {
	header http.Header
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

// Dead returns an http URL on loopback where nothing listens, for tests of a
// server that is not up.
func Dead() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("fault proxy: find a free port: %w", err)
	}
	defer l.Close()
	return "http://" + l.Addr().String(), nil
}
