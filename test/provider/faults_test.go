package provider

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mindroom/internal/model/modeltest"
	"mindroom/internal/turn"
)

// fault is one way in which a provider fails and what has to come of it.
type fault struct {
	// scenes are the answers to one request after another, the last for all later ones.
	scenes func(s stage) []modeltest.Scene
	// requests is how many there are in all.
	requests int
	state    turn.State
	reason   string
	// says are pieces of what the room reads in the end, in their order.
	says []string
	// ran is how often the tool ran.
	ran int32

	// idle is how long the provider may be silent; 0 is longer than any test.
	idle time.Duration
	// total bounds when an attempt may begin; 0 is the world's.
	total time.Duration
	// attempt bounds one attempt; 0 is no bound.
	attempt time.Duration
	// window is the model's; 0 is unknown. talk is how many kilobytes were said before.
	window, talk int
	// least is the least time between the first two requests.
	least time.Duration
	// down: nobody listens at the address.
	down bool
}

const (
	again   = "Please try again"
	waiting = 5 * time.Second // silence that counts as too long; long for a busy machine, short for a test
)

func scenes(s ...modeltest.Scene) []modeltest.Scene { return s }

// faults is the table. Retried or not, how often, and what people read.
var faults = map[string]fault{
	"down": {down: true, state: turn.Failed, reason: "provider_network", says: []string{"could not be reached", again}},

	"slow first byte": {scenes: func(s stage) []modeltest.Scene {
		slow := s.fine()
		slow.Before = 500 * time.Millisecond
		return scenes(slow)
	}, requests: 1, state: turn.Answered, says: []string{"All is well."}},
	"no first byte, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(modeltest.Scene{Before: time.Hour}, s.fine()) },
		idle: waiting, requests: 2, state: turn.Answered, says: []string{"All is well."}},
	"never a first byte": {scenes: func(stage) []modeltest.Scene { return scenes(modeltest.Scene{Before: time.Hour}) },
		idle: waiting, total: waiting * 3 / 2, requests: 2, state: turn.Failed, reason: "provider_timeout", says: []string{"stopped sending", again}},
	"stall after text": {scenes: func(s stage) []modeltest.Scene { return scenes(s.begun(modeltest.Hang)) },
		idle: waiting, requests: 1, state: turn.Failed, reason: "provider_timeout", says: []string{"Once upon", "stopped sending", again}},
	"stall before text, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(s.opened(modeltest.Hang), s.fine()) },
		idle: waiting, requests: 2, state: turn.Answered, says: []string{"All is well."}},

	"keeps alive for ever": {scenes: func(s stage) []modeltest.Scene { return scenes(s.alive()) },
		attempt: waiting, total: waiting * 3 / 2, requests: 2, state: turn.Failed, reason: "provider_timeout", says: []string{"stopped sending", again}},

	"cut after text": {scenes: func(s stage) []modeltest.Scene { return scenes(s.begun(modeltest.Cut), s.fine()) },
		requests: 1, state: turn.Failed, reason: "provider_network", says: []string{"Once upon", "the connection broke", again}},
	"ended after text, as if complete": {scenes: func(s stage) []modeltest.Scene { return scenes(s.begun(modeltest.Finish), s.fine()) },
		requests: 1, state: turn.Failed, reason: "provider_network", says: []string{"Once upon", "the connection broke", again}},
	"cut before text, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(s.opened(modeltest.Cut), s.fine()) },
		requests: 2, state: turn.Answered, says: []string{"All is well."}},
	"cut in a call, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(s.halfCall(), s.calls(), s.fine()) },
		requests: 3, ran: 1, state: turn.Answered, says: []string{"echo", "All is well."}},
	"cut in a call, always": {scenes: func(s stage) []modeltest.Scene { return scenes(s.halfCall()) },
		requests: 4, state: turn.Failed, reason: "provider_network", says: []string{"the connection broke", again}},
	"cut in a call after text": {scenes: func(s stage) []modeltest.Scene { return scenes(s.halfCall("Let me ", "look."), s.fine()) },
		requests: 1, state: turn.Failed, reason: "provider_network", says: []string{"Let me look.", "the connection broke", again}},

	"429 with seconds": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(429, "Retry-After", "1"), s.fine()) },
		requests: 2, least: time.Second, state: turn.Answered, says: []string{"All is well."}},
	"429 with a date": {scenes: func(s stage) []modeltest.Scene {
		// The date has whole seconds: three ahead are more than two.
		return scenes(s.status(429, "Retry-After", time.Now().Add(3*time.Second).UTC().Format(http.TimeFormat)), s.fine())
	}, requests: 2, state: turn.Answered, says: []string{"All is well."}},
	"429 with an hour": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(429, "Retry-After", "3600")) },
		requests: 1, state: turn.Failed, reason: "provider_rate_limit", says: []string{"limiting how much", "try again in 1h0m0s"}},
	"429 without": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(429), s.fine()) },
		requests: 2, state: turn.Answered, says: []string{"All is well."}},
	"429 always": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(429)) },
		requests: 4, state: turn.Failed, reason: "provider_rate_limit", says: []string{"limiting how much", "try again in a minute"}},

	"529, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(529), s.fine()) },
		requests: 2, state: turn.Answered, says: []string{"All is well."}},
	"529 always": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(529)) },
		requests: 4, state: turn.Failed, reason: "provider_overloaded", says: []string{"cannot answer at the moment", again}},
	"503, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(503), s.status(503), s.fine()) },
		requests: 3, state: turn.Answered, says: []string{"All is well."}},
	"500, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(500), s.fine()) },
		requests: 2, state: turn.Answered, says: []string{"All is well."}},
	"500 always": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(500)) },
		requests: 4, state: turn.Failed, reason: "provider_overloaded", says: []string{"cannot answer at the moment", again}},

	"too long, then short enough": {scenes: func(s stage) []modeltest.Scene { return scenes(s.tooLong(), s.tooLong(), s.fine()) },
		window: 8000, talk: 30, requests: 3, state: turn.Answered, says: []string{"All is well."}},
	"too long, with nothing to leave out": {scenes: func(s stage) []modeltest.Scene { return scenes(s.tooLong()) },
		window: 40, talk: 30, requests: 1, state: turn.Failed, reason: "provider_context_overflow", says: []string{"longer than the model can read", "Start a new thread"}},
	"a bad request": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(400)) },
		window: 8000, requests: 1, state: turn.Failed, reason: "provider_bad_request", says: []string{"did not accept the request", "look at the log"}},
	"no such model": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(404)) },
		requests: 1, state: turn.Failed, reason: "provider_bad_request", says: []string{`check that the model id "test-model" exists`}},
	"wrong key": {scenes: func(s stage) []modeltest.Scene { return scenes(s.status(401)) },
		requests: 1, state: turn.Failed, reason: "provider_auth", says: []string{"refused the API key", "_API_KEY"}},

	"nothing said": {scenes: func(s stage) []modeltest.Scene { return scenes(s.nothing()) },
		requests: 1, state: turn.Answered, reason: "empty_answer", says: []string{"empty answer", "ask again"}},
	"garbled, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(s.garbled(), s.fine()) },
		requests: 2, state: turn.Answered, says: []string{"All is well."}},
	"garbled always": {scenes: func(s stage) []modeltest.Scene { return scenes(s.garbled()) },
		requests: 4, state: turn.Failed, reason: "provider_network", says: []string{again, "the provider's address"}},
	"a web page": {scenes: func(stage) []modeltest.Scene { return scenes(page()) },
		requests: 4, state: turn.Failed, reason: "provider_network", says: []string{again, "the provider's address"}},
	"error in the stream, then well": {scenes: func(s stage) []modeltest.Scene { return scenes(s.broken(false), s.fine()) },
		requests: 2, state: turn.Answered, says: []string{"All is well."}},
	"error in the stream after text": {scenes: func(s stage) []modeltest.Scene { return scenes(s.broken(true), s.fine()) },
		requests: 1, state: turn.Failed, reason: "provider_overloaded", says: []string{"Once upon", "cannot answer at the moment", again}},

	"after a tool ran, then well": {scenes: func(s stage) []modeltest.Scene {
		return scenes(s.calls(), s.status(500), s.opened(modeltest.Cut), s.fine())
	},
		requests: 4, ran: 1, state: turn.Answered, says: []string{"echo", "All is well."}},
	"after a tool ran, always": {scenes: func(s stage) []modeltest.Scene { return scenes(s.calls(), s.status(503)) },
		requests: 5, ran: 1, state: turn.Failed, reason: "provider_overloaded", says: []string{"echo", "cannot answer at the moment", again}},
	"too long after a tool ran": {scenes: func(s stage) []modeltest.Scene { return scenes(s.calls(), s.tooLong(), s.fine()) },
		window: 8000, talk: 30, requests: 3, ran: 1, state: turn.Answered, says: []string{"echo", "All is well."}},
}

// Sentences 1 to 4, for every fault and both streams.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, d := range dialects() {
		for what, c := range faults {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				s := modeltest.NewServer(t)
				if c.down {
					s.URL = "http://127.0.0.1:1"
				} else {
					s.Scenes = c.scenes(stage{d})
				}
				w := open(t, d, s, c)
				for i := range c.talk {
					w.hear(fmt.Sprintf("$talk%d", i), strings.Repeat("word ", 200))
				}
				state, reason := w.ends(w.ask())
				said := w.final()
				if state != c.state || reason != c.reason {
					t.Errorf("the turn ended %s (%s), want %s (%s)", state, reason, c.state, c.reason)
				}
				rest := said
				for _, piece := range c.says {
					_, after, found := strings.Cut(rest, piece)
					if !found {
						t.Errorf("the room reads %q, want %q in it, in this order", said, c.says)
						break
					}
					rest = after
				}
				if strings.Count(said, "Once upon") > 1 || strings.Count(said, "All is well.") > 1 {
					t.Errorf("the room reads something twice: %q", said)
				}
				if ran := w.ran.Load(); ran != c.ran {
					t.Errorf("the tool ran %d times, want %d", ran, c.ran)
				}
				w.asked(s, c)
				if t.Failed() {
					t.Log(w.told())
				}
				w.secret()
			})
		}
	}
}

// asked holds how often the provider was asked, and when.
func (w *world) asked(s *modeltest.Server, c fault) {
	w.t.Helper()
	if c.down {
		if waits := len(w.waits); waits != 3 {
			w.t.Errorf("another attempt was waited for %d times, want 3", waits)
		}
		return
	}
	times := s.Times()
	if len(times) != c.requests {
		w.t.Errorf("the provider was asked %d times, want %d", len(times), c.requests)
	}
	if c.least > 0 && len(times) > 1 && times[1].Sub(times[0]) < c.least {
		w.t.Errorf("it was asked again after %s, want %s at least", times[1].Sub(times[0]), c.least)
	}
}
