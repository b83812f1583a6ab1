package hooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/secret"
)

// The headers of a signed request. The signature is "v1=" and the hex HMAC-SHA256, under the secret, of the timestamp, a dot and the body.
const (
	TimestampHeader = "X-MindRoom-Timestamp" // seconds since 1970
	SignatureHeader = "X-MindRoom-Signature"
)

// maxRedirects bounds the redirects one request follows, all on the host it was meant for.
const maxRedirects = 3

// newClient makes a client that goes where the configuration says: no proxy of the environment, and no redirect to anybody else.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext, TLSHandshakeTimeout: 10 * time.Second,
			MaxResponseHeaderBytes: maxAnswer, MaxIdleConns: 16, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			first := via[0].URL
			switch {
			case next.URL.Host != first.Host || next.URL.Scheme != first.Scheme:
				return errors.New("it redirects to another host, which is not followed")
			case next.Method != http.MethodPost:
				return errors.New("it redirects in a way that loses the event; use status 307 or 308")
			case len(via) > maxRedirects:
				return fmt.Errorf("it redirects more than %d times", maxRedirects)
			}
			return nil
		},
	}
}

// post sends the event and returns the body of a 2xx answer.
func (c *Configured) post(ctx context.Context, h config.ToolHook, event []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(event))
	if err != nil {
		return nil, fmt.Errorf("hook %s: its address cannot be used: %w", h.Name, bare(err))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "MindRoom")
	if h.SecretEnv != "" {
		key, err := c.secret(h.SecretEnv)
		if err != nil {
			return nil, err
		}
		sign(req, event, key, time.Now())
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, bare(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read its answer: %w", bare(err))
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, fmt.Errorf("it answered with status %d", resp.StatusCode)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("it answered more than %d bytes", maxAnswer)
	}
	return body, nil
}

// bare takes the address out of an error: its query may hold a secret.
func bare(err error) error {
	var named *url.Error
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// sign adds the headers of a signed request.
func sign(req *http.Request, body []byte, key secret.Value, now time.Time) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	req.Header.Set(TimestampHeader, stamp)
	req.Header.Set(SignatureHeader, "v1="+hex.EncodeToString(mac.Sum(nil)))
}

// secret finds the secret of a variable, and makes it known to the redactor once.
func (c *Configured) secret(name string) (secret.Value, error) {
	text := ""
	if c.Getenv != nil {
		text = c.Getenv(name)
	}
	if text == "" {
		return secret.Value{}, fmt.Errorf("the variable %s, whose secret signs requests, is not set", name)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.secrets[name]
	if known.Reveal() != text {
		known.Forget()
		known = secret.New(text)
		c.secrets[name] = known
	}
	return known, nil
}
