package page

import (
	"net/url"
	"strings"
)

// maxURL bounds a URL in bytes; longer ones are not met on the public web.
const maxURL = 8192

// parseURL accepts an absolute http or https URL without credentials and drops
// its fragment, which never leaves a browser either.
func parseURL(raw string) (*url.URL, *Error) {
	raw = strings.TrimSpace(raw)
	if len(raw) > maxURL {
		return nil, failf("the URL is longer than %d bytes", maxURL)
	}
	u, err := url.Parse(raw)
	if err != nil {
		// The parser's error quotes the URL.
		return nil, failf("this is no URL; give an absolute one such as https://example.org/page")
	}
	if e := checkURL(u); e != nil {
		return nil, e
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// checkURL holds for the page asked for and for every redirect.
func checkURL(u *url.URL) *Error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return failf("only http and https URLs are read, and this one's scheme is %q", u.Scheme)
	case u.User != nil:
		return failf("a URL with a user name or password is not read; pages that need them are out of reach of this tool")
	case u.Opaque != "" || u.Hostname() == "":
		return failf("the URL names no host; give an absolute one such as https://example.org/page")
	}
	return nil
}

// shown is a URL as it may be told and logged.
func shown(u *url.URL) string {
	s := u.Scheme + "://" + u.Host + u.EscapedPath()
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
