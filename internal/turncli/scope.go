package turncli

import (
	"context"
	"sync"

	"mindroom/internal/tool"
)

// The variables by which a command finds the turn CLI (C02, C27).
const (
	EnvURL    = "MINDROOM_AGENT_CLI_URL"
	EnvToken  = "MINDROOM_AGENT_CLI_TOKEN"
	EnvWindow = "MINDROOM_AGENT_CLI_WINDOW"
)

// environment is what a command of w gets. Every command of a window gets the
// same.
func (o *Owner) environment(w *window) []string {
	return []string{EnvURL + "=" + o.reg.Origin(), EnvToken + "=" + o.token.Reveal(), EnvWindow + "=" + w.id}
}

// outer is the part of the command that a window was opened for.
type outer struct {
	o      *Owner
	w      *window
	folder string
}

var _, _ tool.Scope = (*outer)(nil), (*inner)(nil)

func (s *outer) Env() []string { return s.o.environment(s.w) }

func (s *outer) Path() string { return s.folder }

// Close drains the window (tool.Scope). Calls that wait for a person when ctx ends
// are let go of, so that they can be made by whoever owns the turn then: the order
// to stop is no decision about them. Owner.Cancel withdraws them.
func (s *outer) Close(ctx context.Context) tool.Enclosed {
	o, w, ended := s.o, s.w, ctx.Done()
	o.mu.Lock()
	defer o.mu.Unlock()
	w.command = false
	for !o.drained(w) {
		changed := o.changed
		o.mu.Unlock()
		select {
		case <-changed:
			o.mu.Lock()
		case <-ended:
			o.mu.Lock()
			ended = nil
			o.interrupt(w)
		}
	}
	return o.tell(w)
}

// interrupt stops the calls of a window whose command's call was ended. Nothing
// more is admitted: what the command left behind is not waited for either. It is
// called with mu held.
func (o *Owner) interrupt(w *window) {
	o.close(w)
	for _, c := range o.calls {
		if c.window == w {
			c.stop(stopped{keep: !o.discard, why: "the command that made it was ended"})
		}
	}
}

func (s *outer) Hold() (tool.Enclosed, func()) {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	s.w.command = false
	so := s.o.tell(s.w)
	return so, s.o.hold(s.w)
}

// inner is the part of a command that came in through the window itself. Its calls
// cannot be told from those of its outer command, so they are that one's: it is
// the outer command's call that waits for them and tells what they left.
type inner struct {
	o      *Owner
	w      *window
	folder string
}

func (s *inner) Env() []string { return s.o.environment(s.w) }

func (s *inner) Path() string { return s.folder }

func (s *inner) Close(context.Context) tool.Enclosed { return tool.Enclosed{} }

func (s *inner) Hold() (tool.Enclosed, func()) {
	s.o.mu.Lock()
	defer s.o.mu.Unlock()
	return tool.Enclosed{}, s.o.hold(s.w)
}

// hold keeps a window open until done is called. It is called with mu held.
func (o *Owner) hold(w *window) (done func()) {
	w.jobs++
	return sync.OnceFunc(func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		w.jobs--
		o.shut(w)
	})
}
