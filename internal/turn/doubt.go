package turn

import (
	"context"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

const (
	// doubtMost is how long a call waits for an answer to "may this person use
	// this agent here"; after it the call is refused as one that may be repeated.
	doubtMost = 2 * time.Minute
	// doubtRepair is how often it is asked again when no news came.
	doubtRepair = time.Second
)

// News says that what could not be told about people and rooms may be known
// now, or has changed. It never blocks.
func (e *Engine) News() {
	e.mu.Lock()
	close(e.news)
	e.news = make(chan struct{})
	e.review = true
	e.mu.Unlock()
	e.Wake()
}

// undoubted waits while it cannot be told whether the requester may use the
// agent: after a restart a turn goes on before the first sync has told who is
// in the room, and a lost homeserver makes everybody doubtful. Doubt waits; a
// model that heard "try again" would answer without the call.
func (e *Engine) undoubted(ctx context.Context, who identity.Execution) {
	ctx, cancel := context.WithTimeout(ctx, doubtMost)
	defer cancel()
	for {
		e.mu.Lock()
		news := e.news
		e.mu.Unlock()
		if e.Room.Authority.May(ctx, who, e.Config.Current()) != tool.CannotTell {
			return
		}
		timer := time.NewTimer(doubtRepair)
		select {
		case <-news:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}
