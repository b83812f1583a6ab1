package crash

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// site is the small page that calls read, outside of everything that is killed.
// It counts how often a body ran, can hold one, and is where a script says how
// far it is and waits for its turn.
//
//	/read/NAME   what calls read; held while NAME is held
//	/mark/NAME   the script says that it is at NAME
//	/wait/NAME   answers when NAME is open
type site struct {
	url string

	mu      sync.Mutex
	seen    map[string]int
	closed  map[string]bool // held reads
	open    map[string]bool // waits that may pass
	changed chan struct{}
}

func newSite(t *testing.T, held ...string) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{url: "http://" + l.Addr().String(), seen: map[string]int{}, closed: map[string]bool{}, open: map[string]bool{}, changed: make(chan struct{})}
	for _, name := range held {
		s.closed["/read/"+name] = true
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // it ends by Close
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
	})
	return s
}

// ServeHTTP counts the request and answers when it may.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	s.change(func() { s.seen[path]++ })
	waits := strings.HasPrefix(path, "/wait/")
	s.await(r.Context(), func() bool { return !s.closed[path] && (!waits || s.open[path]) })
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, "the page", path)
}

func (s *site) change(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
	close(s.changed)
	s.changed = make(chan struct{})
}

// await returns true once ok, or false when ctx ends first.
func (s *site) await(ctx context.Context, ok func() bool) bool {
	for {
		s.mu.Lock()
		done, changed := ok(), s.changed
		s.mu.Unlock()
		if done {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// arrives waits until path was asked for.
func (s *site) arrives(ctx context.Context, path string) error {
	if !s.await(ctx, func() bool { return s.seen[path] > 0 }) {
		return fmt.Errorf("nobody came to %s: %w", path, context.Cause(ctx))
	}
	return nil
}

// pass lets a held read or a wait through.
func (s *site) pass(path string) {
	s.change(func() { delete(s.closed, path); s.open[path] = true })
}

// count is how often path was asked for.
func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[path]
}
