package script

import (
	"context"
	"sync"

	"mindroom/internal/tool"
)

// calls is what this process holds of one run's calls.
type calls struct {
	ctx    context.Context
	cancel context.CancelFunc
	lane   tool.FIFO
	quota  quota

	// claiming makes the claims of one run follow one another, so that looking
	// for an earlier claim, counting and inserting cannot interleave.
	claiming sync.Mutex

	mu      sync.Mutex
	pending map[string]*pending
	closed  bool
	running sync.WaitGroup
}

// pending is a call that an executor of this process owns.
type pending struct {
	// receipt is the call as it was claimed; it does not change.
	receipt receipt
	// done is closed when the executor is through. final is set before that; it
	// stays zero when the receipt could not be stored.
	done  chan struct{}
	final tool.Outcome
}

// settled is the receipt with its end; it may be read once done is closed.
func (p *pending) settled() receipt {
	r := p.receipt
	r.State, r.Result, r.Fault = p.final.State, p.final.Value, p.final.Fault
	return r
}

func newCalls(limit int) *calls {
	ctx, cancel := context.WithCancel(context.Background())
	return &calls{ctx: ctx, cancel: cancel, quota: quota{limit: limit}, pending: map[string]*pending{}}
}

// fence takes no more calls of the run; those that wait never begin.
func (c *calls) fence() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
}

// interrupt tells the calls that began to stop. It is called after fence.
func (c *calls) interrupt() { c.cancel() }

// wait returns when no executor of the run is left. It is called after fence.
func (c *calls) wait() { c.running.Wait() }

// admit registers an executor to come. It reports false once the run's calls
// are closed.
func (c *calls) admit(p *pending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.running.Add(1)
	c.pending[p.receipt.ID] = p
	return true
}

func (c *calls) find(id string) *pending {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[id]
}

func (c *calls) drop(p *pending) {
	c.mu.Lock()
	delete(c.pending, p.receipt.ID)
	c.mu.Unlock()
	close(p.done)
	c.running.Done()
}
