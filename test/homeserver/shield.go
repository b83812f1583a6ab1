package homeserver

import (
	"context"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"mindroom/test/forward"
)

// shield stands in front of the server because Dendrite on SQLite does not
// survive a client that leaves: the request's context ends in the middle of a
// write, and from then on that database answers every write with "interrupted".
// Programs that are killed on purpose leave all the time here, so requests are
// carried to their end whether or not somebody still wants the answer.
type shield struct {
	server    *http.Server
	transport *http.Transport
	served    chan struct{}
	inFlight  sync.WaitGroup
}

// requestBound ends a request that the server never answers; it is longer than
// any long poll.
const requestBound = 2 * time.Minute

// raise serves on l and forwards to the server at addr.
func raise(l net.Listener, addr string) *shield {
	s := &shield{transport: &http.Transport{MaxIdleConnsPerHost: 64}, served: make(chan struct{})}
	proxy := &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: addr}) },
		Transport: s.transport,
		// No answer from the server is no answer from us.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	carried := forward.Whole(proxy)
	s.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.inFlight.Add(1)
			defer s.inFlight.Done()
			ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), requestBound)
			defer cancel()
			carried.ServeHTTP(w, r.WithContext(ctx))
		}),
		ReadHeaderTimeout: requestBound,
	}
	go func() {
		defer close(s.served)
		_ = s.server.Serve(l) // it ends by lower
	}()
	return s
}

// lower ends the shield. The server is dead by then, so that nothing is in
// flight any more.
func (s *shield) lower() {
	_ = s.server.Close()
	<-s.served
	s.inFlight.Wait()
	s.transport.CloseIdleConnections()
}
