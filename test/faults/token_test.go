//go:build goolm

package faults

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"maunium.net/go/mautrix"

	"mindroom/internal/store"
	"mindroom/test/faultproxy"
)

func syncing(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/sync") && r.URL.Query().Get("since") != ""
}

// The homeserver forgets where we were, while we run and while we were away: what
// was answered is not answered again, what was said meanwhile is.
func TestForgottenPosition(t *testing.T) {
	both(t, func(w *world) {
		w.begin()
		forget := faultproxy.Fault{Status: 400, Times: 2, Body: `{"errcode":"M_UNKNOWN_POS","error":"unknown position"}`, Match: syncing}
		running := w.wire.Arm(forget)
		w.wire.CutAll()
		w.must(running.WaitHits(w.within(), 2))
		w.ask("said after it forgot", "after it forgot")
		w.answered()
		w.stop()
		w.ask("said while we were away", "while we were away")
		away := w.wire.Arm(forget)
		w.launch()
		w.ready()
		w.must(away.WaitHits(w.within(), 2))
		w.judge()
	})
}

// The homeserver does not take the token any more, and says that the device is
// still there, or that it is not.
func TestRejectedToken(t *testing.T) {
	for name, body := range map[string]string{
		"soft logout": `{"errcode":"M_UNKNOWN_TOKEN","error":"expired","soft_logout":true}`,
		"logout":      `{"errcode":"M_UNKNOWN_TOKEN","error":"gone"}`,
	} {
		t.Run(name, func(t *testing.T) {
			encrypted(t, func(w *world) {
				w.begin()
				lost := w.wire.Arm(faultproxy.Fault{Status: 401, Body: body, Times: 6, Match: func(r *http.Request) bool {
					return syncing(r) || strings.Contains(r.URL.Path, "/send/")
				}})
				w.wire.CutAll()
				w.ask("do you still hear me?", "still hear")
				w.must(lost.WaitHits(w.within(), 6))
				w.judge()
			})
		})
	}
}

// Somebody logs the agent out for good while it runs: its device and the keys the
// homeserver had of it are gone. It logs in again, shows its keys again, and goes
// on, within a time a person waits.
func TestLoggedOut(t *testing.T) {
	both(t, func(w *world) {
		w.begin()
		from := time.Now()
		w.logOut("watcher")
		w.ask("do you still hear me?", "still hear")
		w.answered()
		// Logging in anew and showing its keys again takes some twenty requests by
		// itself, within about a second.
		w.during(from, time.Now(), 40)
		w.stop()
		w.logOut("watcher")
		w.launch()
		w.ready()
		w.judge()
	})
}

// logOut ends the login of an account as its owner would from another client.
func (w *world) logOut(key string) {
	w.t.Helper()
	var token string
	w.must(w.read(func(q *store.Reader) error {
		return q.QueryRow(`SELECT access_token FROM matrix_account WHERE account_key = $1`, key).Scan(&token)
	}))
	c, err := mautrix.NewClient(w.server.URL, "", token)
	w.must(err)
	_, err = c.Logout(w.within())
	w.must(err)
}
