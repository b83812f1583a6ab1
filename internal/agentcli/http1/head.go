package http1

import (
	"bufio"
	"strconv"
	"strings"
)

// lines reads the lines of a head, left bytes of them at most.
type lines struct {
	r    *bufio.Reader
	left int
}

// next is the next line without its end.
func (l *lines) next() (string, error) {
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if l.left -= len(part); l.left < 0 {
			return "", malformed("its head is too long")
		}
		line = append(line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return "", truncated(err)
		}
		text, ok := strings.CutSuffix(string(line), "\r\n")
		if !ok {
			return "", malformed("a line does not end as lines do")
		}
		return text, nil
	}
}

// status reads a status line. minor is '1' for HTTP/1.1 and '0' for HTTP/1.0, where no connection is kept.
func (l *lines) status() (minor byte, status int, err error) {
	line, err := l.next()
	if err != nil {
		return 0, 0, err
	}
	rest, ok := strings.CutPrefix(line, "HTTP/1.")
	if !ok || len(rest) < 5 || rest[0] != '0' && rest[0] != '1' || rest[1] != ' ' || len(rest) > 5 && rest[5] != ' ' {
		return 0, 0, malformed("its first line is no status line")
	}
	for _, c := range []byte(rest[2:5]) {
		if c < '0' || c > '9' {
			return 0, 0, malformed("its status is no number")
		}
	}
	status, err = strconv.Atoi(rest[2:5])
	if err != nil || status < 100 {
		return 0, 0, malformed("its status is no number")
	}
	return rest[0], status, nil
}

// header is what the headers of a response say about its body.
type header struct {
	// length is -1 when none is named.
	length         int64
	chunked, close bool
}

// header reads headers up to the empty line.
func (l *lines) header() (header, error) {
	h := header{length: -1}
	for {
		line, err := l.next()
		if err != nil || line == "" {
			return h, err
		}
		name, value, ok := strings.Cut(line, ":")
		if strings.ContainsFunc(value, control) {
			return h, malformed("a header holds a control character")
		}
		if !ok || !token(name) {
			return h, malformed("a header has no name")
		}
		if err := h.take(strings.ToLower(name), strings.Trim(value, " \t")); err != nil {
			return h, err
		}
	}
}

func (h *header) take(name, value string) error {
	switch name {
	case "content-length":
		n, err := strconv.ParseUint(value, 10, 62)
		if err != nil || strings.HasPrefix(value, "+") || h.length >= 0 && h.length != int64(n) {
			return malformed("its length is no number, or two numbers")
		}
		h.length = int64(n)
	case "transfer-encoding":
		if !strings.EqualFold(value, "chunked") || h.chunked {
			return malformed("its transfer encoding is not known")
		}
		h.chunked = true
	case "connection":
		for option := range strings.SplitSeq(value, ",") {
			h.close = h.close || strings.EqualFold(strings.Trim(option, " \t"), "close")
		}
	}
	return nil
}

func control(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// token tells whether a text may be the name of a header.
func token(s string) bool {
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
