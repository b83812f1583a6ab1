package modeltest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mindroom/internal/model"
)

// Key is the credential of the fake server. The suite looks for it in every error.
const Key = "sk-conformance-0123456789abcdef"

// Dialect is how one provider speaks, as its server would.
type Dialect struct {
	// New builds the provider against the server at base. The settings carry an id, the environment and a client;
	// New adds the address and the idle time in the provider's own way.
	New func(base string, idle time.Duration, s model.Settings) (model.Provider, error)
	// Env is the variable that holds the key.
	Env string
	// Frames are the events of the stream, each complete with its blank line.
	Frames func(Reply) []string
	// Trailer is how many of the last frames may be missing from an answer that is still complete.
	Trailer int
	// ErrorFrame is an error that comes inside the stream and means an overloaded provider.
	ErrorFrame string
	// ErrorBody is the body of an HTTP error with the given message.
	ErrorBody func(message string) string
}

// Server is a fake provider. Set its fields before the request; it serves every request with its own Scene, or one
// after another with Scenes if there are any, and those that come later with the last.
type Server struct {
	URL string
	Scene
	Scenes []Scene

	mu     sync.Mutex
	bodies []string
	seen   []http.Header
	times  []time.Time
}

// Scene is how one request is served.
type Scene struct {
	// Before is how long not even a header is sent.
	Before time.Duration
	// Frames are sent, one flush each.
	Frames []string
	// Status, when not 0, is answered with Header and Body instead.
	Status int
	Header http.Header
	Body   string
	// Then is done after the frames.
	Then After
}

// After says how a stream ends.
type After int

// The ways to end.
const (
	// Finish ends the response properly.
	Finish After = iota
	// Cut breaks the connection.
	Cut
	// Hang sends nothing more until the client leaves.
	Hang
	// Drip sends the last frame again and again until the client leaves.
	Drip
)

// NewServer starts a fake provider that ends with the test.
func NewServer(t *testing.T) *Server {
	t.Helper()
	s := &Server{}
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	s.URL = ts.URL
	return s
}

// Bodies are the requests' bodies so far.
func (s *Server) Bodies() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.bodies...)
}

// Headers are the requests' headers so far.
func (s *Server) Headers() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]http.Header(nil), s.seen...)
}

// Times are when the requests came.
func (s *Server) Times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.times...)
}

// ServeHTTP plays the scene that is due.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	scene := s.Scene
	if n := len(s.Scenes); n > 0 {
		scene = s.Scenes[min(len(s.bodies), n-1)]
	}
	s.bodies = append(s.bodies, string(body))
	s.seen = append(s.seen, r.Header.Clone())
	s.times = append(s.times, time.Now())
	s.mu.Unlock()
	scene.play(w, r)
}

func (s Scene) play(w http.ResponseWriter, r *http.Request) {
	if s.Before > 0 {
		select {
		case <-time.After(s.Before):
		case <-r.Context().Done():
			return
		}
	}
	if s.Status != 0 {
		for name, values := range s.Header {
			w.Header()[name] = values
		}
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(s.Status)
		_, _ = io.WriteString(w, s.Body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	for _, frame := range s.Frames {
		_, _ = io.WriteString(w, frame)
		_ = http.NewResponseController(w).Flush()
	}
	switch s.Then {
	case Drip:
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, s.Frames[len(s.Frames)-1])
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(50 * time.Millisecond):
			case <-r.Context().Done():
			}
		}
	case Cut:
		panic(http.ErrAbortHandler)
	case Hang:
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// Client is an HTTP client whose connections end with the test.
func Client(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// Environment is a Getenv over the given pairs of name and value.
func Environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if strings.EqualFold(pairs[i], name) {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// complete is the number of frames from which on the answer counts as complete.
func (d Dialect) complete(frames []string) int { return len(frames) - d.Trailer }

// Provider builds the dialect's provider against s, with the key of the suite.
func (d Dialect) Provider(t *testing.T, s *Server, idle time.Duration) model.Provider {
	t.Helper()
	p, err := d.New(s.URL, idle, model.Settings{
		ID:         "test-model",
		Getenv:     Environment(d.Env, Key),
		HTTPClient: Client(t),
	})
	if err != nil {
		t.Fatalf("build the provider: %v", err)
	}
	return p
}
