package unread

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The answer comes although the body never does, whatever its length is said to be,
// and the connection ends; without a body it is kept.
func TestAnswer(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		Answer(w, req)
		http.Error(w, "no", http.StatusNotFound)
	}))
	t.Cleanup(s.Close)
	for head, ends := range map[string]bool{"Content-Length: 1000": true, "Transfer-Encoding: chunked": true, "Content-Length: 0": false} {
		t.Run(head, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Write([]byte("POST / HTTP/1.1\r\nHost: x\r\n" + head + "\r\n\r\n")); err != nil {
				t.Fatal(err)
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("no answer: %v", err)
			}
			_ = res.Body.Close()
			if res.StatusCode != http.StatusNotFound || res.Close != ends {
				t.Errorf("%s, and the connection ends: %v", res.Status, res.Close)
			}
		})
	}
}
