package wirekit

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// raw sends bytes over a connection of its own and leaves the rest to use.
func (p *probe) raw(ctx context.Context, lengthHeader string, body []byte, use func(net.Conn) error) error {
	base, err := url.Parse(p.BaseURL)
	if err != nil {
		return err
	}
	address := base.Host
	if base.Port() == "" {
		address = net.JoinHostPort(base.Hostname(), map[string]string{"http": "80", "https": "443"}[base.Scheme])
	}
	dialer := &net.Dialer{Timeout: exchangeTimeout}
	var conn net.Conn
	if base.Scheme == "https" {
		conn, err = (&tls.Dialer{NetDialer: dialer}).DialContext(ctx, "tcp", address)
	} else {
		conn, err = dialer.DialContext(ctx, "tcp", address)
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(exchangeTimeout)); err != nil {
		return err
	}
	head := fmt.Sprintf("POST %s/calls HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n",
		base.Path, base.Host, p.bearer(), lengthHeader)
	if _, err := conn.Write(append([]byte(head), body...)); err != nil {
		return err
	}
	return use(conn)
}

func checkContentLength(ctx context.Context, p *probe) error {
	for _, length := range []string{"ten", "-1", "1.5"} {
		err := p.raw(ctx, length, nil, func(conn net.Conn) error {
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				return err
			}
			defer response.Body.Close()
			io.Copy(io.Discard, io.LimitReader(response.Body, maxAnswerBytes))
			if response.StatusCode != http.StatusBadRequest {
				return fmt.Errorf("want HTTP 400, got %d", response.StatusCode)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("content length %q: %w", length, err)
		}
	}
	return nil
}

// checkLostSubmitter hangs up at once; whether that came before acceptance or after, the same submission then completes.
func checkLostSubmitter(ctx context.Context, p *probe) error {
	id := newCallID()
	body := p.body(id, p.Args)
	hangUp := func(conn net.Conn) error { return conn.Close() }
	if err := p.raw(ctx, fmt.Sprint(len(body)), body, hangUp); err != nil {
		return err
	}
	receipt, err := p.perform(ctx, id, p.Args)
	if err == nil && receipt.State != "completed" {
		err = fmt.Errorf("call ended as %s, error %+v; want completed", receipt.State, receipt.Error)
	}
	return err
}
