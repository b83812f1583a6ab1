package http1

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// connecting is the longest that a connection may take to be made.
const connecting = 10 * time.Second

// moment is how long an answer may take to begin before it is slow: longer than a fast tool of a busy machine takes.
const moment = 20 * time.Millisecond

// ErrNoAnswer is a connection that ended before the first byte of an answer.
var ErrNoAnswer = errors.New("the connection was closed without an answer")

// Error is a request without a usable answer.
type Error struct {
	// Sent is false only when it is certain that no byte of the request left.
	Sent bool
	// Err says why.
	Err error
}

// Error says what went wrong; it names neither the server nor anything that was sent.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Refused tells whether nobody listened, so that nothing was sent.
func Refused(err error) bool {
	var e *Error
	return errors.As(err, &e) && !e.Sent && errors.Is(e.Err, syscall.ECONNREFUSED)
}

// Client asks one origin, over one connection as long as the server keeps it. It is for one goroutine.
type Client struct {
	Origin Origin
	// TLS says how an https origin is judged; nil means by the system's certificates. It is not changed.
	TLS *tls.Config
	// Slow, unless nil, is called before anything that may take longer than a moment: connecting to another machine, and waiting for
	// an answer that did not begin at once. It is for what is too dear to be done for an answer that comes at once.
	Slow func()
	// Dial connects; nil means TCP to the origin, directly, whatever the environment says of proxies.
	Dial func(ctx context.Context) (net.Conn, error)

	conn net.Conn
	r    *bufio.Reader
}

// Close ends the connection, if there is one. It cannot fail in a way that matters: everything asked was answered.
func (c *Client) Close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// Do sends a request and returns its response, whatever its status. Every error is an *Error; where ctx ended first, it wraps the
// context's cause.
func (c *Client) Do(ctx context.Context, q Request) (Response, error) {
	raw, err := q.appendTo(nil, c.Origin)
	if err != nil {
		return Response{}, &Error{Err: err}
	}
	kept := c.conn != nil
	resp, begun, err := c.once(ctx, raw)
	// A server may close a kept connection whenever it likes. Only what changes nothing is asked again.
	if err != nil && kept && !begun && q.Method == "GET" && ctx.Err() == nil {
		resp, _, err = c.once(ctx, raw)
	}
	return resp, err
}

// once tries a request once. begun is true when a byte of an answer came.
func (c *Client) once(ctx context.Context, raw []byte) (resp Response, begun bool, err error) {
	if c.conn == nil {
		if err := c.dial(ctx); err != nil {
			return Response{}, false, &Error{Err: because(ctx, err)}
		}
	}
	conn := c.conn
	until(ctx, conn, time.Time{}) // the end of an earlier context may have reached a kept connection late
	defer context.AfterFunc(ctx, func() { end(conn) })()
	_, err = conn.Write(raw)
	// A server may refuse before it has read everything; then writing fails and an answer is there.
	if peeked := c.first(ctx); peeked != nil {
		if err == nil {
			err = peeked
		}
		c.Close()
		if errors.Is(err, io.EOF) {
			err = ErrNoAnswer
		}
		return Response{}, false, &Error{Sent: true, Err: because(ctx, err)}
	}
	resp, err = readResponse(c.r)
	if err != nil {
		c.Close()
		return Response{}, true, &Error{Sent: true, Err: because(ctx, err)}
	}
	if !resp.reusable {
		c.Close()
	}
	return resp, true, nil
}

// first waits for the first byte of an answer.
func (c *Client) first(ctx context.Context) error {
	if c.Slow != nil {
		until(ctx, c.conn, time.Now().Add(moment))
		_, err := c.r.Peek(1)
		// The deadline goes with the moment, whether it was needed or not.
		until(ctx, c.conn, time.Time{})
		if !errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil {
			return err
		}
		c.Slow()
	}
	_, err := c.r.Peek(1)
	return err
}

// until bounds what is read and written, the zero time by ctx alone. Neither this nor end can fail but on a closed connection, where
// reading fails anyway.
func until(ctx context.Context, conn net.Conn, deadline time.Time) {
	_ = conn.SetDeadline(deadline)
	if ctx.Err() != nil { // its end may have come before the line above, and must not be undone by it
		end(conn)
	}
}

// end makes what is read and written fail now.
func end(conn net.Conn) { _ = conn.SetDeadline(time.Unix(1, 0)) }

// because is the reason of an error that the end of ctx caused, else the error.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

func (c *Client) dial(ctx context.Context) error {
	if c.Slow != nil && !c.Origin.near {
		c.Slow()
	}
	dial := c.Dial
	if dial == nil {
		dial = func(ctx context.Context) (net.Conn, error) {
			return (&net.Dialer{Timeout: connecting}).DialContext(ctx, "tcp", c.Origin.address)
		}
	}
	conn, err := dial(ctx)
	if err != nil {
		return err
	}
	if c.Origin.tls {
		conf := c.TLS.Clone()
		if conf == nil {
			conf = &tls.Config{}
		}
		conf.ServerName, conf.MinVersion = c.Origin.name, tls.VersionTLS12
		secured := tls.Client(conn, conf)
		if err := secured.HandshakeContext(ctx); err != nil {
			return errors.Join(err, conn.Close())
		}
		conn = secured
	}
	c.conn, c.r = conn, bufio.NewReaderSize(conn, 4096)
	return nil
}
