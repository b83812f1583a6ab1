package mcp

import (
	"context"
	"fmt"

	"mindroom/internal/config"
)

// Probe connects to one server as a start does, counts the functions it would bring,
// and ends it again. An error says what to mend; nothing of the server is left.
func (s *Servers) Probe(ctx context.Context, spec config.MCPServer) (functions int, err error) {
	one := newServer(s, spec)
	defer one.stop()
	l, err := one.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer func() {
		if closing := l.close(); closing != nil && err == nil {
			err = fmt.Errorf("it was not ended cleanly: %w", closing)
		}
	}()
	if err := one.list(ctx, l); err != nil {
		return 0, err
	}
	return one.count(), nil
}
