package turn

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

// doubtful answers what it is told, and counts the questions.
type doubtful struct {
	answer atomic.Int32
	asked  atomic.Int32
}

func (d *doubtful) May(context.Context, identity.Execution, *config.Snapshot) tool.Answer {
	d.asked.Add(1)
	return tool.Answer(d.answer.Load())
}

func doubting() (*Engine, *doubtful) {
	d := &doubtful{}
	return New(Parts{Room: &tool.Room{Authority: d}, Config: config.NewHolder(&config.Config{})}), d
}

// A call waits while it cannot be told who may make it, and goes on at the
// news; a yes, a no and the end of the turn are answers at once.
func TestDoubtWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer tool.Answer
		happen func(*Engine, *doubtful, context.CancelFunc)
		waits  time.Duration
	}{
		"yes":            {answer: tool.Yes},
		"no":             {answer: tool.No},
		"never":          {waits: doubtMost},
		"news":           {happen: func(e *Engine, d *doubtful, _ context.CancelFunc) { d.answer.Store(int32(tool.Yes)); e.News() }, waits: 100 * time.Millisecond},
		"news were lost": {happen: func(_ *Engine, d *doubtful, _ context.CancelFunc) { d.answer.Store(int32(tool.Yes)) }, waits: doubtRepair},
		"the turn ends":  {happen: func(_ *Engine, _ *doubtful, end context.CancelFunc) { end() }, waits: 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, d := doubting()
				d.answer.Store(int32(c.answer))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				began := time.Now()
				done := make(chan struct{})
				go func() { e.undoubted(ctx, identity.Execution{}); close(done) }()
				if c.happen != nil {
					time.Sleep(100 * time.Millisecond)
					synctest.Wait()
					c.happen(e, d, cancel)
				}
				<-done
				if waited := time.Since(began); waited != c.waits {
					t.Errorf("it waited %s, not %s", waited, c.waits)
				}
				if d.asked.Load() == 0 {
					t.Error("nobody was asked")
				}
			})
		})
	}
}
