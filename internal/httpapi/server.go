package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// headerTime bounds how long a client may take to send its headers.
	headerTime = 10 * time.Second
	// bodyTime bounds how long a whole request may take to arrive. Requests are
	// small; what is held is the answer.
	bodyTime = 30 * time.Second
	// idleTime is how long a quiet connection is kept for the next request.
	idleTime = 2 * time.Minute
	// maxHeader bounds a request's headers in bytes.
	maxHeader = 16 << 10
)

// Status is what the health routes tell. It is asked with each request.
type Status struct {
	// Ready is true once the runtime answers people and scripts.
	Ready bool
	// Phase and Detail say how far the start is, in words.
	Phase, Detail string
	// LastSync is when the homeserver last answered a sync; zero for never.
	LastSync time.Time
	// Stale names the accounts whose sync makes no progress.
	Stale []string
	// ConfigRefused is true while what is on disk of the configuration has a fault
	// and an older one stays in force. The fault itself is for operators alone.
	ConfigRefused bool
}

// Server is one listener.
type Server struct {
	host     string
	listener net.Listener
	server   *http.Server
}

// Listen opens the listener at host and port; port 0 takes any free one.
// register adds the routes of other packages.
func Listen(ctx context.Context, host string, port int, status func() Status, register func(*http.ServeMux), log *slog.Logger) (*Server, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/health", func(w http.ResponseWriter, _ *http.Request) { health(w, status()) })
	mux.HandleFunc("GET /api/ready", func(w http.ResponseWriter, _ *http.Request) { ready(w, status()) })
	register(mux)
	address := net.JoinHostPort(host, strconv.Itoa(port))
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; another MindRoom may be running, or choose another port with --api-port", address, err)
	}
	return &Server{host: host, listener: l, server: &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}, nil
}

// Serve answers requests until Shutdown.
func (s *Server) Serve(context.Context) error {
	if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("http listener: %w", err)
	}
	return nil
}

// Shutdown takes no new requests and waits for those under way until ctx ends;
// then they are cut.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.server.Shutdown(ctx); err != nil {
		return errors.Join(err, s.server.Close())
	}
	return nil
}

// Origin is the listener's address as this machine reaches it. A wildcard
// address is reached by loopback.
func (s *Server) Origin() string {
	addr := s.listener.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		// The kernel tells an IPv4 wildcard as the IPv6 one where it serves both.
		host = "127.0.0.1"
		if strings.Contains(s.host, ":") {
			host = "::1"
		}
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}
