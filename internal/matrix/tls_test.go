package matrix

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// A homeserver whose certificate nobody signed is refused, unless the operator
// says that any will do.
func TestCertificates(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"versions":["v1.2"]}`))
	}))
	t.Cleanup(s.Close)
	for _, skip := range []bool{false, true} {
		n, err := New(Config{Homeserver: s.URL, SkipTLSVerify: skip})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(n.Close)
		c, err := n.client("", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Versions(t.Context()); (err == nil) != skip {
			t.Errorf("skip %v: %v", skip, err)
		}
	}
}
