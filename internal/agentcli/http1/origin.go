package http1

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Origin is where a server listens. The zero Origin is nowhere.
type Origin struct {
	// URL is its spelling without a slash at the end.
	URL string
	// host is the value of the Host header; address is what is dialled; name is what a certificate must be for.
	host, address, name string
	tls                 bool
	// near is an address of this machine, which answers or refuses a connection at once.
	near bool
}

var errOrigin = errors.New("it is no plain http(s)://host[:port]")

// ParseOrigin reads a plain http(s) origin; slashes at its end do not count. User information, a path, a query and a fragment
// are refused. The error repeats nothing of the text, which may hold a password.
func ParseOrigin(text string) (Origin, error) {
	text = strings.TrimRight(text, "/")
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || c == '?' || c == '#' || c == '@' || c == '\\' {
			return Origin{}, errOrigin
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Path != "" || u.Opaque != "" || u.User != nil || u.Hostname() == "" {
		return Origin{}, errOrigin
	}
	o := Origin{URL: text, host: u.Host, name: u.Hostname(), tls: u.Scheme == "https"}
	port := u.Port()
	switch {
	case u.Scheme != "http" && u.Scheme != "https", strings.HasSuffix(u.Host, ":"):
		return Origin{}, errOrigin
	case port == "" && o.tls:
		port = "443"
	case port == "":
		port = "80"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return Origin{}, errOrigin
	}
	o.near = net.ParseIP(o.name).IsLoopback()
	o.address = net.JoinHostPort(o.name, port)
	return o, nil
}
