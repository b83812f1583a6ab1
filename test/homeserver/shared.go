package homeserver

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"mindroom/internal/person"
)

// startWithin bounds Shared's wait, a cold build included.
const startWithin = 20 * time.Minute

var shared struct {
	sync.Mutex
	server *Server
	err    error
}

// Shared returns the one server of this test binary and starts it at first
// use. It is stopped by Main, or at the latest when the process ends. Tests
// that share it keep apart by user and room names: see Person.
func Shared(tb testing.TB) *Server {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil && shared.err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), startWithin)
		defer cancel()
		shared.server, shared.err = Start(ctx, Options{Progress: func(line string) { tb.Log(line) }})
	}
	if shared.err != nil {
		tb.Fatalf("shared homeserver: %v", shared.err)
	}
	return shared.server
}

// Main runs the tests of a binary that uses Shared, stops the server and
// returns the exit code. check, which may be nil, runs after the server is
// gone and only when the tests passed; it is the place for a leak check.
func Main(m *testing.M, check func() error) int {
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.Stop()
	}
	if code == 0 && check != nil {
		if err := check(); err != nil {
			println(err.Error())
			return 1
		}
	}
	return code
}

// Person registers a fresh user whose name starts with prefix and closes it
// with the test.
func (s *Server) Person(tb testing.TB, prefix string) *person.Client {
	tb.Helper()
	c, err := s.Register(tb.Context(), prefix+"-"+Suffix(), "password-"+rand.Text())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

// Suffix is a short random lower-case name part, so that tests which share a
// server never share a name.
func Suffix() string { return strings.ToLower(rand.Text()[:10]) }
