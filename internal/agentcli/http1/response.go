package http1

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// MaxBody is the most bytes of a body that are read (spec/agentcli.md 2.1): one more than a document may have, so that
	// whoever reads it can tell a full document from one that is too long.
	MaxBody = 65537
	// MaxHead is the most bytes of status line and headers, interim responses included.
	MaxHead = 64 << 10
	// maxInterim is how many interim (1xx) responses may come before the final one.
	maxInterim = 8
)

// Response is what was answered.
type Response struct {
	Status int
	// Body has at most MaxBody bytes; more were not read.
	Body []byte
	// reusable is true when the connection stands at the beginning of a next response.
	reusable bool
}

// ErrTruncated is a connection that ended before its response did.
var ErrTruncated = errors.New("the answer stopped half way")

// malformed is a response that does not follow the grammar. It repeats nothing of the response.
func malformed(what string) error { return fmt.Errorf("the answer is no HTTP: %s", what) }

// readResponse reads the one response to a request.
func readResponse(r *bufio.Reader) (Response, error) {
	l := &lines{r: r, left: MaxHead}
	for range maxInterim {
		minor, status, err := l.status()
		if err != nil {
			return Response{}, err
		}
		h, err := l.header()
		if err != nil {
			return Response{}, err
		}
		if status == 101 {
			return Response{}, malformed("it changes the protocol")
		}
		if status < 200 {
			continue
		}
		if h.chunked && minor == '0' {
			return Response{}, malformed("version 1.0 knows no chunks")
		}
		resp := Response{Status: status, reusable: minor == '1' && !h.close}
		return resp, resp.read(r, h)
	}
	return Response{}, malformed("too many interim responses")
}

// read reads the body as its headers delimit it.
func (resp *Response) read(r *bufio.Reader, h header) (err error) {
	switch {
	case resp.Status == 204 || resp.Status == 304:
	case h.chunked:
		resp.Body, resp.reusable, err = chunked(r, resp.reusable)
	case h.length >= 0:
		resp.Body = make([]byte, min(h.length, MaxBody))
		resp.reusable = resp.reusable && h.length <= MaxBody
		_, err = io.ReadFull(r, resp.Body)
	default:
		resp.reusable = false
		resp.Body, err = io.ReadAll(io.LimitReader(r, MaxBody))
	}
	return truncated(err)
}

// truncated names an end that came too early; other errors stay.
func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	return err
}

// chunked reads chunks until the last or until MaxBody bytes are there; then the connection is at no beginning.
func chunked(r *bufio.Reader, reusable bool) (body []byte, _ bool, err error) {
	for {
		l := &lines{r: r, left: 256}
		line, err := l.next()
		if err != nil {
			return nil, false, err
		}
		size, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseUint(strings.TrimRight(size, " \t"), 16, 31)
		if err != nil {
			return nil, false, malformed("the size of a chunk is no number")
		}
		if n == 0 {
			trailer := &lines{r: r, left: MaxHead}
			_, err := trailer.header()
			return body, reusable, err
		}
		room := MaxBody - len(body)
		start := len(body)
		body = append(body, make([]byte, min(int(n), room))...)
		if _, err := io.ReadFull(r, body[start:]); err != nil {
			return nil, false, truncated(err)
		}
		if int(n) >= room {
			return body, false, nil
		}
		switch end, err := (&lines{r: r, left: 2}).next(); {
		case err != nil:
			return nil, false, err
		case end != "":
			return nil, false, malformed("a chunk is longer than its size")
		}
	}
}
