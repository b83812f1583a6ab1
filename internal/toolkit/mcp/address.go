package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// address is the way to a server over HTTP.
type address struct {
	endpoint string
	at       *url.URL
	headers  map[string]string
	base     *http.Transport
	life     context.Context
	end      context.CancelFunc
}

// address prepares the way; nothing is sent yet.
func (s *server) address() (way, error) {
	at, err := url.Parse(s.spec.URL)
	if err != nil {
		return nil, fmt.Errorf("its address: %w", err)
	}
	headers, err := s.all.fill(s.spec.Headers)
	if err != nil {
		return nil, err
	}
	a := &address{endpoint: s.spec.URL, at: at, headers: headers, base: http.DefaultTransport.(*http.Transport).Clone()}
	// Ended by abort, which link.close calls on every way out.
	a.life, a.end = context.WithCancel(context.Background())
	return a, nil
}

func (a *address) transport() sdk.Transport {
	return &sdk.StreamableClientTransport{
		Endpoint: a.endpoint, MaxEventSize: maxFrame,
		HTTPClient: &http.Client{Transport: a, CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 5 {
				return errors.New("the server redirects without end")
			}
			return a.own(req.URL)
		}},
	}
}

// own refuses an address of any other host: it would get our headers and arguments.
func (a *address) own(u *url.URL) error {
	if u.Scheme != a.at.Scheme || !strings.EqualFold(u.Host, a.at.Host) {
		return fmt.Errorf("the server sends us to %s://%s, another host than its own; write that one as its url if it is right", u.Scheme, u.Host)
	}
	return nil
}

// RoundTrip sends one request with the configured headers, and ends it with the connection.
func (a *address) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := a.own(req.URL); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(a.life, cancel)
	req = req.Clone(ctx)
	for name, value := range a.headers {
		req.Header.Set(name, value)
	}
	resp, err := a.base.RoundTrip(req)
	if err != nil {
		stop()
		cancel()
		return nil, err
	}
	b := &body{ReadCloser: resp.Body, left: maxFrame, done: func() { stop(); cancel() }}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		b.left = -1 // each event has its own bound, and there may be many
	}
	resp.Body = b
	return resp, nil
}

func (a *address) abort() { a.end() }

func (a *address) close(context.Context) error {
	a.end()
	a.base.CloseIdleConnections()
	return nil
}

// body is an answer's, of at most left bytes; negative: any number.
type body struct {
	io.ReadCloser
	left int64
	done func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left < 0 {
		return n, err
	}
	if b.left -= int64(n); b.left < 0 {
		b.left = 0
		return 0, fmt.Errorf("the server's answer has more than %d bytes", maxFrame)
	}
	return n, err
}

func (b *body) Close() error {
	defer b.done()
	return b.ReadCloser.Close()
}
