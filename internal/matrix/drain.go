package matrix

import (
	"context"
	"fmt"
)

// Drain returns when everything due in the outbox of every started account was
// sent or put off, or with ctx's error. It is the last pass before the
// transports close; the pumps must still run.
func (n *Network) Drain(ctx context.Context) error {
	n.mu.RLock()
	var accounts []*Account
	for _, a := range n.accounts {
		if a.started.Load() {
			accounts = append(accounts, a)
		}
	}
	n.mu.RUnlock()
	for _, a := range accounts {
		idle := make(chan struct{})
		select {
		case a.drain <- idle:
		case <-ctx.Done():
			return fmt.Errorf("drain the outbox of %s: %w", a.Key, context.Cause(ctx))
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return fmt.Errorf("drain the outbox of %s: %w", a.Key, context.Cause(ctx))
		}
	}
	return nil
}
