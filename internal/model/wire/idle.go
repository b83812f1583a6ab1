package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// ErrIdle is the cause of a request that ended because no byte came for the idle time.
var ErrIdle = errors.New("no byte arrived in time")

// Client is a copy of base (nil means a plain client) whose requests end with ErrIdle when the other side sends
// nothing for idle: before the response's headers, or between two reads of its body. The time in which nobody reads
// does not count, so a slow reader cannot time itself out. There is no total timeout.
func Client(base *http.Client, idle time.Duration) *http.Client {
	var client http.Client
	if base != nil {
		client = *base
	}
	client.Timeout = 0
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client.Transport = &idleTransport{next: next, idle: idle}
	return &client
}

type idleTransport struct {
	next http.RoundTripper
	idle time.Duration
}

func (t *idleTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(t.idle, func() { cancel(ErrIdle) })
	resp, err := t.next.RoundTrip(req.WithContext(ctx))
	timer.Stop()
	if err != nil {
		defer cancel(nil)
		return nil, cause(ctx, err)
	}
	resp.Body = &idleBody{ReadCloser: resp.Body, ctx: ctx, cancel: cancel, idle: t.idle}
	return resp, nil
}

type idleBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
}

func (b *idleBody) Read(p []byte) (int, error) {
	timer := time.AfterFunc(b.idle, func() { b.cancel(ErrIdle) })
	n, err := b.ReadCloser.Read(p)
	timer.Stop()
	if err != nil && !errors.Is(err, io.EOF) {
		err = cause(b.ctx, err)
	}
	return n, err
}

func (b *idleBody) Close() error {
	b.cancel(nil)
	return b.ReadCloser.Close()
}

func cause(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), ErrIdle) {
		return ErrIdle
	}
	return err
}
