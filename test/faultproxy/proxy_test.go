package faultproxy_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/test/faultproxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type rig struct {
	*faultproxy.Proxy
	served *atomic.Int64
	client *http.Client
}

func newRig(t *testing.T) rig {
	t.Helper()
	served := &atomic.Int64{}
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		_, _ = io.WriteString(w, "real "+r.URL.Path)
	}))
	p, err := faultproxy.Start(back.URL)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{}
	t.Cleanup(func() { tr.CloseIdleConnections(); p.Close(); back.Close() })
	return rig{p, served, &http.Client{Transport: tr, Timeout: 10 * time.Second}}
}

// get uses POST so that the standard library does not repeat a cut request by
// itself.
func (r rig) get(path string) (int, string, error) {
	resp, err := r.client.Post(r.URL+path, "text/plain", nil)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func TestFaults(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name       string
		fault      faultproxy.Fault
		wantErr    bool
		wantStatus int
		wantBody   string
		wantServed int64
	}{
		{"probe", faultproxy.Fault{Times: 1}, false, 200, "real /x", 1},
		{"drop request", faultproxy.Fault{Times: 1, DropRequest: true}, true, 0, "", 0},
		{"drop reply (3)", faultproxy.Fault{Times: 1, DropReply: true}, true, 0, "", 1},
		{"status", faultproxy.Fault{Times: 1, Status: 429, Body: "slow"}, false, 429, "slow", 0},
		{"stored (3)", faultproxy.Fault{Times: 1, Status: 500, Stored: true, Body: "no"}, false, 500, "no", 1},
		{"late", faultproxy.Fault{Times: 1, Delay: time.Millisecond}, false, 200, "real /x", 1},
		{"changed", faultproxy.Fault{Times: 1, Change: func(r *http.Request) { r.URL.Path = "/z" }}, false, 200, "real /z", 1},
		{"other path", faultproxy.Fault{Status: 500, Match: func(r *http.Request) bool { return r.URL.Path == "/y" }}, false, 200, "real /x", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			a := r.Arm(c.fault)
			status, body, err := r.get("/x")
			if (err != nil) != c.wantErr || status != c.wantStatus || body != c.wantBody {
				t.Fatalf("got %d %q %v", status, body, err)
			}
			if n := r.served.Load(); n != c.wantServed {
				t.Fatalf("server saw %d requests, want %d", n, c.wantServed)
			}
			if c.fault.Times == 1 && a.Hits() != 1 {
				t.Fatalf("hits %d", a.Hits())
			}
			if status, body, err := r.get("/x"); err != nil || status != 200 || body != "real /x" {
				t.Fatalf("after the fault: %d %q %v", status, body, err)
			}
		})
	}
}

// Holds sentence 2: exactly n, also in parallel.
func TestTimesIsExact(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	a := r.Arm(faultproxy.Fault{Times: 5, Status: 503})
	var bad atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if s, _, err := r.get("/"); err == nil && s == 503 {
				bad.Add(1)
			}
		})
	}
	wg.Wait()
	if bad.Load() != 5 || a.Hits() != 5 {
		t.Fatalf("broken %d, hits %d, want 5", bad.Load(), a.Hits())
	}
}

func TestHoldAndWaitHits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	release := make(chan struct{})
	a := r.Arm(faultproxy.Fault{Times: 1, Hold: release})
	done := make(chan string, 1)
	go func() { _, b, _ := r.get("/h"); done <- b }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := a.WaitHits(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if n := r.served.Load(); n != 0 {
		t.Fatalf("held request reached the server (%d)", n)
	}
	close(release)
	if got := <-done; got != "real /h" {
		t.Fatalf("got %q", got)
	}
}
