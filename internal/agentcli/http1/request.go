package http1

import (
	"errors"
	"strconv"
)

// Request is what is asked. Path begins with a slash and is sent as it stands.
type Request struct {
	Method, Path string
	// Header are names and values, in the order in which they are sent.
	Header [][2]string
	// Body is JSON; nil for a request without one.
	Body []byte
}

var errHeader = errors.New("a header holds a character that no header may hold")

// appendTo writes the request as it goes over the wire.
func (r Request) appendTo(out []byte, o Origin) ([]byte, error) {
	out = append(out, r.Method+" "+r.Path+" HTTP/1.1\r\nHost: "+o.host+"\r\nAccept: application/json\r\n"...)
	for _, h := range r.Header {
		// A line break in a value would be a header of somebody else's making.
		for _, c := range []byte(h[1]) {
			if c < ' ' || c >= 0x7f {
				return nil, errHeader
			}
		}
		out = append(out, h[0]+": "+h[1]+"\r\n"...)
	}
	if r.Body != nil {
		out = append(out, "Content-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(r.Body))+"\r\n"...)
	}
	return append(append(out, "\r\n"...), r.Body...), nil
}
