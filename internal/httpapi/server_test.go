package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func serve(t *testing.T, status func() Status) *Server {
	t.Helper()
	s, err := Listen(t.Context(), "127.0.0.1", 0, status, func(mux *http.ServeMux) {
		mux.HandleFunc("GET /extra", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(t.Context()) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

func get(t *testing.T, url string) (int, map[string]any) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body map[string]any
	if res.StatusCode != http.StatusTeapot {
		if err := json.NewDecoder(res.Body).Decode(&body); err != nil {
			t.Fatal(err)
		}
	}
	return res.StatusCode, body
}

// A refused configuration is told and makes nobody unhealthy; what is wrong with
// it is not for everybody.
func TestHealthOfTheConfiguration(t *testing.T) {
	t.Parallel()
	for refused, want := range map[bool]string{false: "current", true: "refused"} {
		s := serve(t, func() Status { return Status{Ready: true, LastSync: time.Now(), ConfigRefused: refused} })
		code, body := get(t, s.Origin()+"/api/health")
		if code != http.StatusOK || body["configuration"] != want || body["status"] != "healthy" {
			t.Errorf("refused %v: %d %v", refused, code, body)
		}
	}
}

func TestHealthAndReady(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status        Status
		health, ready int
	}{
		"starting":               {Status{Phase: "starting", Detail: "waiting for the homeserver"}, 200, 503},
		"ready":                  {Status{Ready: true, LastSync: time.Now()}, 200, 200},
		"ready and stale":        {Status{Ready: true, Stale: []string{"watcher"}}, 503, 200},
		"starting, never synced": {Status{Phase: "starting", Stale: []string{"watcher"}}, 200, 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func() Status { return c.status })
			if code, _ := get(t, s.Origin()+"/api/health"); code != c.health {
				t.Errorf("health %d, want %d", code, c.health)
			}
			code, body := get(t, s.Origin()+"/api/ready")
			if code != c.ready || c.ready == 503 && body["detail"] != c.status.Detail {
				t.Errorf("ready %d %v, want %d", code, body, c.ready)
			}
		})
	}
}

func TestOriginOfAWildcardIsLoopback(t *testing.T) {
	t.Parallel()
	s, err := Listen(t.Context(), "0.0.0.0", 0, func() Status { return Status{} }, func(*http.ServeMux) {}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.listener.Close()
	if got := s.Origin(); !strings.HasPrefix(got, "http://127.0.0.1:") {
		t.Errorf("origin %q", got)
	}
}

func TestATakenPortSaysWhatToDo(t *testing.T) {
	t.Parallel()
	s := serve(t, func() Status { return Status{} })
	port := s.listener.Addr().(*net.TCPAddr).Port
	_, err := Listen(t.Context(), "127.0.0.1", port, func() Status { return Status{} }, func(*http.ServeMux) {}, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "--api-port") {
		t.Errorf("Listen on a taken port: %v", err)
	}
}
