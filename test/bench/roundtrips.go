package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"mindroom/test/forward"
)

// roundTrips stands between the primary and the homeserver and writes down when
// the homeserver was asked and when it had answered.
type roundTrips struct {
	// URL is the homeserver's address for the primary.
	URL string

	server *http.Server
	served chan error

	mu   sync.Mutex
	seen []span
}

// span is one request, from its arrival here to the end of its answer.
type span struct{ from, to time.Time }

func watchHomeserver(homeserver string) (*roundTrips, error) {
	target, err := url.Parse(homeserver)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("before the homeserver: %w", err)
	}
	t := &roundTrips{URL: "http://" + l.Addr().String(), served: make(chan error, 1)}
	proxy := forward.Whole(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// A primary that stops cuts its long polls; nobody needs to read of it.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	t.server = &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := time.Now()
		proxy.ServeHTTP(w, r)
		if longPoll(r) {
			return // held on purpose: nobody waits for it
		}
		t.mu.Lock()
		t.seen = append(t.seen, span{from, time.Now()})
		t.mu.Unlock()
	})}
	go func() { t.served <- t.server.Serve(l) }()
	return t, nil
}

func longPoll(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/sync") && r.URL.Query().Has("since")
}

func (t *roundTrips) close(ctx context.Context) error {
	err := errors.Join(t.server.Shutdown(ctx), t.server.Close())
	if served := <-t.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// during says when the first request of the time between from and to arrived
// (to, if there was none), how long at least one was under way, and how many
// there were.
func (t *roundTrips) during(from, to time.Time) (first time.Time, busy time.Duration, requests int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return covered(t.seen, from, to)
}

func covered(spans []span, from, to time.Time) (first time.Time, busy time.Duration, requests int) {
	spans = slices.SortedFunc(slices.Values(spans), func(a, b span) int { return a.from.Compare(b.from) })
	first = to
	reached := from
	for _, s := range spans {
		if s.to.Before(from) || s.from.After(to) {
			continue
		}
		requests++
		if s.from.Before(first) {
			first = s.from
		}
		start, end := s.from, s.to
		if start.Before(reached) {
			start = reached
		}
		if end.After(to) {
			end = to
		}
		if end.After(start) {
			busy += end.Sub(start)
			reached = end
		}
	}
	return first, busy, requests
}
