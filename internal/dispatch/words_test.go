package dispatch

import (
	"context"
	"strings"
	"testing"

	"mindroom/internal/store"
)

// A message by itself that somebody claims starts no turn, and is carried out by
// the account that the claimant names; any other is like any message. A reply, a
// file and what programs say are not offered.
func TestWordsAreOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: Watcher}}
authorization: {default_room_access: true, aliases: {"@ann:x": ["@ghost:x"]}}
bot_accounts: ["@bot:x"]
`)
	var log []string
	w.pump.Words = []Taker{func(_ context.Context, t Touch) (Taking, error) {
		log = append(log, "asked "+t.Text+" by "+t.Person+" in "+t.Thread+t.Message.ID)
		if t.Text != "1" && t.Text != "2" {
			return Taking{}, nil
		}
		taking := Taking{Claimed: true, Account: watcher, Do: func(*store.Tx) error { log = append(log, "did "+t.Text); return nil }}
		if t.Text == "2" {
			taking.Account = helper
		}
		return taking, nil
	}}
	w.said(watcher, ops, "card", "$card")
	w.start()
	const inThread = `,"m.relates_to":{"rel_type":"m.thread","event_id":"$root","is_falling_back":true,"m.in_reply_to":{"event_id":"$card"}}`
	file := text("$6", ops, ann, "1", `,"filename":"a.txt","url":"mxc://x/a"`)
	file.Content = []byte(strings.Replace(string(file.Content), "m.text", "m.file", 1))
	old := text("$8", ops, ann, "1", "")
	old.Live = false
	w.hears(
		text("$1", ops, "@ghost:x", " 1\n", inThread), text("$2", ops, ann, "2", ""), text("$3", ops, ann, "3", ""),
		text("$4", ops, ann, "1", answering("$card")), text("$5", ops, "@bot:x", "1", ""), file, text("$7", ops, watcher, "1", ""), old,
	)
	if got := triggers(w.settles(0)); got != "$3 $4 $6" {
		t.Errorf("turns for %s", got)
	}
	w.stop()
	if got, want := strings.Join(log, "; "), "asked 1 by @ann:x in $root; did 1; asked 2 by @ann:x in ; asked 3 by @ann:x in "; got != want {
		t.Errorf("the taker: %s", got)
	}
}
