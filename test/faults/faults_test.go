//go:build goolm

package faults

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mindroom/test/faultproxy"
)

// both plays a fault in clear and encrypted.
func both(t *testing.T, play func(*world)) {
	t.Helper()
	if testing.Short() {
		t.Log("short: nothing is started")
		return
	}
	t.Parallel()
	for name, sealed := range map[string]bool{"clear": false, "encrypted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(newWorld(t, sealed))
		})
	}
}

// encrypted plays a fault in an encrypted room only, which takes every step that a
// room in clear takes.
func encrypted(t *testing.T, play func(*world)) {
	t.Helper()
	if testing.Short() {
		t.Log("short: nothing is started")
		return
	}
	t.Parallel()
	play(newWorld(t, true))
}

func path(part string) func(*http.Request) bool {
	return func(r *http.Request) bool { return strings.Contains(r.URL.Path, part) }
}

// first matches the first request of each method and path. Names that are new with
// each try do not make a path another one.
func first() func(*http.Request) bool {
	var mu sync.Mutex
	seen := map[string]bool{}
	return func(r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		name := r.Method + " " + fresh.ReplaceAllString(r.URL.Path, "$1")
		again := seen[name]
		seen[name] = true
		return !again
	}
}

var fresh = regexp.MustCompile(`(/sendToDevice/[^/]*/|/m\.secret_storage\.key\.).*`)

// during counts the requests of a time, and holds sentence 3: at most so many a
// second over the whole of it.
func (w *world) during(from, to time.Time, most float64) {
	w.t.Helper()
	n := len(w.wire.Exchanges(func(x faultproxy.Exchange) bool { return !x.At.Before(from) && x.At.Before(to) }))
	took := to.Sub(from).Seconds()
	w.t.Logf("%d requests in %.1f s", n, took)
	if float64(n) > most*took+6 {
		w.t.Errorf("%d requests in %.1f s are more than %.0f a second", n, took, most)
	}
}

// The homeserver is not there at the start, and comes.
func TestDownAtStart(t *testing.T) {
	both(t, func(w *world) {
		w.begin()
		w.stop()
		down := w.wire.Arm(faultproxy.Fault{DropRequest: true})
		w.ask("said while it was down", "while it was down")
		from := time.Now()
		w.launch()
		w.must(down.WaitHits(w.within(), 4))
		select {
		case <-w.now.Ready:
			w.t.Error("it says that it is ready, without a homeserver")
		default:
		}
		w.during(from, time.Now(), 2)
		down.Disarm()
		w.ready()
		w.judge()
	})
}

// The homeserver goes away while an answer is written, which ends meanwhile, and
// comes back.
func TestAwayInTheMiddleOfAnAnswer(t *testing.T) {
	both(t, func(w *world) {
		w.begin()
		w.ask("read "+w.site.url, "worth the wait")
		w.must(w.site.visited(w.within()))
		down := w.wire.Arm(faultproxy.Fault{DropRequest: true})
		w.wire.CutAll()
		from := time.Now()
		w.site.open()
		w.must(down.WaitHits(w.within(), 12))
		w.during(from, time.Now(), 8)
		w.ask("said meanwhile", "said meanwhile")
		down.Disarm()
		w.judge()
	})
}

// Every response comes late, and long polls are cut.
func TestSlow(t *testing.T) {
	both(t, func(w *world) {
		w.begin()
		w.wire.Arm(faultproxy.Fault{Delay: 1500 * time.Millisecond})
		w.wire.CutAll()
		w.ask("read "+w.site.url, "worth the wait")
		w.must(w.site.visited(w.within()))
		w.wire.CutAll()
		w.site.open()
		w.judge()
	})
}

// The first request of every kind is stored, and answered as a failure: at the very
// first start as at any time.
func TestStoredAndToldOtherwise(t *testing.T) {
	both(t, func(w *world) {
		w.wire.Arm(faultproxy.Fault{Stored: true, Status: 500, Body: `{"errcode":"M_UNKNOWN","error":"internal"}`, Match: first()})
		w.begin()
		w.judge()
	})
}

// The homeserver cannot make rooms for longer than a start waits for one: the room
// is made when it can, by the same start.
func TestNoRoomAtTheStart(t *testing.T) {
	both(t, func(w *world) {
		w.wire.Arm(faultproxy.Fault{Status: 502, Times: 6, Match: path("/createRoom")})
		w.begin()
		w.judge()
	})
}

// The homeserver is gone for a while in the middle of the very first start, after
// each of its steps.
func TestGoneInTheMiddleOfTheStart(t *testing.T) {
	for _, step := range []string{"/register", "/keys/upload", "/createRoom", "/join/", "/joined_rooms", "/sync"} {
		t.Run(strings.Trim(step, "/"), func(t *testing.T) {
			encrypted(t, func(w *world) {
				reached := w.wire.Arm(faultproxy.Fault{DropReply: true, Times: 1, Match: path(step)})
				w.launch()
				w.must(reached.WaitHits(w.within(), 1))
				down := w.wire.Arm(faultproxy.Fault{DropRequest: true})
				w.must(down.WaitHits(w.within(), 5))
				down.Disarm()
				w.ready()
				w.enter()
				w.ask("good morning", "good morning")
				w.judge()
			})
		})
	}
}

// The first request of every kind is refused for a while: at the very first start as
// at any time, in each of the ways in which a homeserver says for how long.
func TestTooManyRequests(t *testing.T) {
	for name, f := range map[string]faultproxy.Fault{
		"a header":     {Header: http.Header{"Retry-After": {"1"}}, Body: `{"errcode":"M_LIMIT_EXCEEDED","error":"slower"}`},
		"a body":       {Body: `{"errcode":"M_LIMIT_EXCEEDED","error":"slower","retry_after_ms":700}`},
		"neither":      {Body: `{"errcode":"M_LIMIT_EXCEEDED","error":"slower"}`},
		"not even one": {Body: `too many`},
	} {
		t.Run(name, func(t *testing.T) {
			encrypted(t, func(w *world) {
				f.Status, f.Match = http.StatusTooManyRequests, first()
				w.wire.Arm(f)
				w.begin()
				w.judge()
			})
		})
	}
}

// A send that is refused for a while is tried again under its own transaction id,
// no sooner than it was asked for.
func TestWaitsAsAsked(t *testing.T) {
	both(t, func(w *world) {
		w.begin()
		const asked = 2 * time.Second
		w.wire.Arm(faultproxy.Fault{Status: 429, Times: 3, Match: path("/send/"),
			Header: http.Header{"Retry-After": {"2"}}, Body: `{"errcode":"M_LIMIT_EXCEEDED","error":"slower"}`})
		w.ask("patience", "patience")
		w.judge()
		tries := map[string][]faultproxy.Exchange{}
		waited := 0
		for _, x := range w.wire.Exchanges(func(x faultproxy.Exchange) bool { return strings.Contains(x.Path, "/send/") }) {
			if before := tries[x.Path]; len(before) > 0 {
				waited++
				if pause := x.At.Sub(before[len(before)-1].At); pause < asked {
					w.t.Errorf("tried again after %s", pause)
				}
			}
			tries[x.Path] = append(tries[x.Path], x)
		}
		if waited != 3 {
			w.t.Errorf("%d tries after a refusal, not 3", waited)
		}
	})
}

// Something on the way does not hold what should be held: every poll is answered at
// once.
func TestPollsAreNotHeld(t *testing.T) {
	both(t, func(w *world) {
		w.begin()
		hasty := w.wire.Arm(faultproxy.Fault{Match: syncing, Change: func(r *http.Request) {
			q := r.URL.Query()
			q.Set("timeout", "0")
			r.URL.RawQuery = q.Encode()
		}})
		w.wire.CutAll()
		// Two accounts, each with a few at once before it slows down.
		w.must(hasty.WaitHits(w.within(), 24))
		from := time.Now()
		w.must(hasty.WaitHits(w.within(), 30))
		w.during(from, time.Now(), 3)
		w.judge()
	})
}

// Joining is limited for a while, as homeservers do: the account hears and answers
// meanwhile, and comes when it may, also after a restart in between.
func TestJoiningIsLimited(t *testing.T) {
	both(t, func(w *world) {
		w.begin()
		limited := w.wire.Arm(faultproxy.Fault{Status: 429, Header: http.Header{"Retry-After": {"3"}},
			Body: `{"errcode":"M_LIMIT_EXCEEDED","error":"slower"}`, Match: path("/join")})
		side, err := w.person.CreateRoom(w.within(), "side room", w.agent())
		w.must(err)
		w.must(limited.WaitHits(w.within(), 1))
		w.ask("do you hear me meanwhile?", "meanwhile")
		w.answered()
		w.stop()
		w.launch()
		w.must(limited.WaitHits(w.within(), limited.Hits()+1))
		limited.Disarm()
		w.ready()
		w.must(w.until("the agent is in the side room", func() (bool, error) {
			members, err := w.person.Members(w.within(), side)
			return slices.Contains(members, w.agent()), err
		}))
		w.askIn(side, "and here?", "and here")
		w.judge()
	})
}

// agent is the Matrix id of the agent.
func (w *world) agent() string {
	return "@mindroom_watcher_" + strings.TrimPrefix(w.env[1], "MINDROOM_NAMESPACE=") + ":" + w.server.ServerName
}
