package forward

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every body arrives as it was sent and every answer whole, of a server too that
// answers before it has seen the end of the body. Passed on as they come, one answer in
// some thirty thousand broke off.
func TestNoAnswerIsLost(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw := make([]byte, 2)
		n, _ := io.ReadFull(r.Body, raw)
		_, _ = io.WriteString(w, string(raw[:n])+strings.Repeat("x", 1000))
	}))
	t.Cleanup(server.Close)
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	proxy := httptest.NewServer(Whole(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}))
	t.Cleanup(proxy.Close)
	client := proxy.Client()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				for _, sent := range []string{"", "{}"} {
					res, err := client.Post(proxy.URL, "application/json", strings.NewReader(sent))
					if err != nil {
						t.Error(err)
						return
					}
					got, err := io.ReadAll(res.Body)
					_ = res.Body.Close()
					if err != nil || string(got) != sent+strings.Repeat("x", 1000) {
						t.Errorf("%q: %.20q…, %v", sent, got, err)
						return
					}
				}
			}
		})
	}
	all.Wait()
}
