//go:build goolm

package faults

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// site is a page that is given when it is let go: an answer that reads it takes as
// long as the test wants.
type site struct {
	url     string
	arrived chan struct{}

	once sync.Once
	gate chan struct{}
}

func newSite(t *testing.T) *site {
	s := &site{arrived: make(chan struct{}, 100), gate: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.arrived <- struct{}{}
		select {
		case <-s.gate:
			_, _ = io.WriteString(w, "worth the wait")
		case <-r.Context().Done():
		}
	}))
	s.url = server.URL
	t.Cleanup(func() { s.open(); server.Close() })
	return s
}

// open lets the page go.
func (s *site) open() { s.once.Do(func() { close(s.gate) }) }

// visited waits for a reader.
func (s *site) visited(ctx context.Context) error {
	select {
	case <-s.arrived:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
