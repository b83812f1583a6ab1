package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"

	"mindroom/internal/supervise/tail"
	"mindroom/internal/supervise/wire"
)

// Output returns the last of the output that is kept, at any time before Close; after it, Record has the same as text.
func (p *Process) Output() (Chunk, error) {
	done := p.isDead()
	c, err := tail.Last(p.out, p.tailBytes)
	if err != nil {
		return Chunk{}, p.outputError(err)
	}
	return Chunk{Chunk: c, Done: done}, nil
}

// ReadFrom returns the output from the offset on, waiting until there is some, the tree is dead (then Done is set and Data may be empty) or ctx ends. Bytes that are
// not kept any more are left out; Start tells. Continue from Next.
func (p *Process) ReadFrom(ctx context.Context, offset int64) (Chunk, error) {
	watched := false
	for {
		p.mu.Lock()
		changed, lost := p.changed, p.lost
		p.mu.Unlock()
		done := p.isDead() // before the read: what it finds is then the last
		c, err := tail.Read(p.out, offset, 0)
		if err != nil {
			return Chunk{}, p.outputError(err)
		}
		if len(c.Data) > 0 || done {
			return Chunk{Chunk: c, Done: done && c.Next() >= c.Total}, nil
		}
		if !watched && !lost {
			watched = true
			if err := p.send(ctx, wire.Request{Watch: &offset}); err != nil && ctx.Err() != nil {
				return Chunk{}, ctx.Err()
			}
		}
		select {
		case <-changed:
			// Another reader's watch may have replaced ours at the supervisor, which keeps one.
			watched = false
		case <-ctx.Done():
			return Chunk{}, ctx.Err()
		}
	}
}

func (p *Process) isDead() bool {
	select {
	case <-p.dead:
		return true
	default:
		return false
	}
}

func (p *Process) outputError(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return &Error{Kind: KindClosed, Text: "the process was closed; its record has the output", Err: err}
	}
	return fmt.Errorf("read output: %w", err)
}
