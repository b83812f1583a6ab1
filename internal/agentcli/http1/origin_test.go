package http1

import (
	"strings"
	"testing"
)

func TestParseOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, url, host, address, name string }{
		{"http://127.0.0.1:8765", "http://127.0.0.1:8765", "127.0.0.1:8765", "127.0.0.1:8765", "127.0.0.1"},
		{"http://host.docker.internal:8765//", "http://host.docker.internal:8765", "host.docker.internal:8765", "host.docker.internal:8765", "host.docker.internal"},
		{"https://primary", "https://primary", "primary", "primary:443", "primary"},
		{"http://primary/", "http://primary", "primary", "primary:80", "primary"},
		{"HTTP://Primary:1", "HTTP://Primary:1", "Primary:1", "Primary:1", "Primary"},
		{"http://[::1]:8765", "http://[::1]:8765", "[::1]:8765", "[::1]:8765", "::1"},
		{"http://[::1]", "http://[::1]", "[::1]", "[::1]:80", "::1"},
	} {
		o, err := ParseOrigin(c.text)
		if err != nil || o.URL != c.url || o.host != c.host || o.address != c.address || o.name != c.name || o.tls != strings.HasPrefix(c.text, "https") {
			t.Errorf("%s: %+v, %v", c.text, o, err)
		}
	}
	for _, text := range []string{
		"", "/", "127.0.0.1:8765", "ftp://a:1", "http://", "http://:80", "http://a:", "http://a:0", "http://a:65536", "http://a:x", "http://a:-1",
		"http://secret@a", "http://u:secret@a:1", "http://a/secret", "http://a?secret", "http://a:1/?", "http://a#secret", "http://a#", "http:secret",
		"http://a b", "http://a\nHost: secret", "http://ä", "http://a\\secret", "http://[::1", "http://a:1:2",
	} {
		if o, err := ParseOrigin(text); err == nil {
			t.Errorf("%q is an origin: %+v", text, o)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error repeats it: %v", text, err)
		}
	}
}
