//go:build goolm

package faults

import (
	"net/http"
	"regexp"
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
	if float64(n) > most*took+10 {
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
			both(t, func(w *world) {
				f.Status, f.Match = http.StatusTooManyRequests, first()
				w.wire.Arm(f)
				w.begin()
				w.judge()
			})
		})
	}
}
