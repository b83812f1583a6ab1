package mcp

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mindroom/internal/supervise/wire"
)

const (
	// farewell is how long a server may take to hear that we leave, and its last
	// calls to end.
	farewell = 2 * time.Second
	// endBudget bounds the end of a program's tree.
	endBudget = 10 * time.Second
)

// link is one connection to a server.
type link struct {
	session *sdk.ClientSession
	way     way
	ended   chan struct{} // closed when the connection has ended
	news    chan struct{} // holds one when the server says that its tools changed
	quiet   context.CancelFunc
}

// way is what a session's messages travel on.
type way interface {
	transport() sdk.Transport
	// abort has everything fail that waits for the server. It may be called twice.
	abort()
	// close frees what there is, the session being closed.
	close(ctx context.Context) error
}

// connect starts or reaches the server within its time. After an error nothing of
// it is left.
func (s *server) connect(ctx context.Context) (*link, error) {
	start, cancel := context.WithTimeout(ctx, s.spec.Startup)
	defer cancel()
	l := &link{ended: make(chan struct{}), news: make(chan struct{}, 1)}
	life, quiet := context.WithCancel(ctx)
	l.quiet = quiet
	var err error
	if s.spec.Command != "" {
		l.way, err = s.program(start, life)
	} else {
		l.way, err = s.address()
	}
	if err != nil {
		quiet()
		return nil, err
	}
	// The SDK does not give up a write that nobody reads.
	defer context.AfterFunc(start, l.way.abort)()
	client := sdk.NewClient(&sdk.Implementation{Name: "mindroom", Version: wire.Build}, &sdk.ClientOptions{
		// We have no roots, nothing to sample with and nobody to ask.
		Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			select {
			case l.news <- struct{}{}:
			default: // it will be looked at anyway
			}
		},
	})
	l.session, err = client.Connect(start, l.way.transport(), nil)
	if err == nil && !s.all.o.Run.Go("connection of MCP server "+s.spec.Name, func(context.Context) error {
		defer close(l.ended)
		_ = l.session.Wait() // how it ended makes no difference
		return nil
	}) {
		close(l.ended)
		err = errors.New("the runtime is shutting down")
	}
	if err == nil {
		return l, nil
	}
	if start.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("it did not answer within %v; look at its own log, or raise startup_timeout_seconds: %w", s.spec.Startup, err)
	}
	return nil, errors.Join(err, l.close())
}

// close ends the connection and what it is made of, and waits for it.
func (l *link) close() error {
	late := time.AfterFunc(farewell, l.way.abort)
	if l.session != nil {
		_ = l.session.Close() // nothing depends on whether the server heard it
		<-l.ended
	}
	late.Stop()
	l.way.abort()
	l.quiet()
	ctx, cancel := context.WithTimeout(context.Background(), endBudget)
	defer cancel()
	return l.way.close(ctx)
}
