package page

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mindroom/internal/toolkit/website/guard"
)

// Limits bound one read. Every field must be positive.
type Limits struct {
	// MaxBytes is the largest page, in bytes after decompression.
	MaxBytes int64
	// Timeout is from the look-up of the name to the last byte.
	Timeout time.Duration
}

// Reader reads pages. It keeps no connection and no cookie between reads.
type Reader struct {
	// Dialer makes the connections; nil refuses private addresses.
	Dialer *guard.Dialer
	Limits Limits
}

// Page is what was read.
type Page struct {
	// URL is the one asked for, without its fragment. It is not where a redirect
	// led, because that may hold a token made for this read.
	URL string
	// Title is empty where the page has none.
	Title string
	// Content is valid UTF-8.
	Content string
}

// Most redirects followed, and most bytes of header lines.
const (
	maxRedirects = 10
	maxHeader    = 64 << 10
)

// Read reads the page at rawURL. Every error is an *Error.
func (r *Reader) Read(ctx context.Context, rawURL string) (Page, error) {
	u, fault := parseURL(rawURL)
	if fault != nil {
		return Page{}, fault
	}
	ctx, cancel := context.WithTimeout(ctx, r.Limits.Timeout)
	defer cancel()
	answer, fault := r.fetch(ctx, u)
	if fault != nil {
		return Page{}, fault
	}
	page, fault := extract(answer)
	if fault != nil {
		return Page{}, fault
	}
	page.URL = u.String()
	return page, nil
}

// answer is a response, read to its end.
type answer struct {
	url         *url.URL // where redirects led
	contentType string   // as sent; may be empty
	body        []byte
}

func (r *Reader) fetch(ctx context.Context, u *url.URL) (answer, *Error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return answer{}, failf("%s cannot be asked for", shown(u))
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; MindRoom website tool)")
	req.Header.Set("Accept", "text/html,application/xhtml+xml,text/plain,application/json,application/xml;q=0.9,text/*;q=0.8")
	req.Header.Set("Accept-Language", "en;q=0.8,*;q=0.5")

	transport := r.transport()
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: redirect}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, r.explain(ctx, u, err)
	}
	defer resp.Body.Close()
	if fault := checkStatus(resp, u); fault != nil {
		return answer{}, fault
	}
	if enc := resp.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return answer{}, failf("%s came in the encoding %q, which was not asked for and is not read", shown(u), bounded(enc))
	}
	if resp.ContentLength > r.Limits.MaxBytes {
		return answer{}, r.tooLarge(u)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, r.Limits.MaxBytes+1))
	if int64(len(body)) > r.Limits.MaxBytes {
		return answer{}, r.tooLarge(u)
	}
	if err != nil {
		return answer{}, r.explain(ctx, u, err)
	}
	return answer{url: resp.Request.URL, contentType: resp.Header.Get("Content-Type"), body: body}, nil
}

func (r *Reader) transport() *http.Transport {
	dialer := r.Dialer
	if dialer == nil {
		dialer = &guard.Dialer{}
	}
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxHeader,
		TLSHandshakeTimeout:    r.Limits.Timeout,
	}
}

// redirect checks where a redirect leads before it is followed; the address is
// checked by the guard when it is dialled.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return failf("it redirects more than %d times", maxRedirects)
	}
	// The page asked for is nobody else's business, least of all its query.
	req.Header.Del("Referer")
	if fault := checkURL(req.URL); fault != nil {
		return fault
	}
	return nil
}

func checkStatus(resp *http.Response, u *url.URL) *Error {
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusTooManyRequests || code >= 500:
		return laterf("%s answered with status %d %s; try again later", shown(u), code, http.StatusText(code))
	default:
		return failf("%s answered with status %d %s", shown(u), code, http.StatusText(code))
	}
}

func (r *Reader) tooLarge(u *url.URL) *Error {
	return failf("%s is larger than %d bytes, the most this tool reads (max_bytes)", shown(u), r.Limits.MaxBytes)
}

// explain makes a sentence of a transport's error without its URL.
func (r *Reader) explain(ctx context.Context, u *url.URL, err error) *Error {
	var refusal *guard.Refusal
	var own *Error
	var wrapped *url.Error
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &refusal):
		return failf("%s", refusal.Error())
	case errors.As(err, &own):
		return failf("%s was not read: %s", shown(u), own.Message)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return laterf("%s did not answer in full within %s (timeout_seconds)", shown(u), r.Limits.Timeout)
	case ctx.Err() != nil:
		return laterf("reading %s was cancelled", shown(u))
	case errors.As(err, &dns):
		if dns.IsNotFound {
			return failf("there is no host %s", u.Hostname())
		}
		return laterf("the host %s cannot be looked up right now", u.Hostname())
	case errors.As(err, &timeout) && timeout.Timeout():
		return laterf("%s cannot be reached: the connection timed out", shown(u))
	}
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return laterf("%s cannot be read: %s", shown(u), bounded(err.Error()))
}

func bounded(s string) string {
	if len(s) > 300 {
		return strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}
