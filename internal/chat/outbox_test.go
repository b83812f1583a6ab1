package chat

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
)

func idsOf(ds []Delivery) string {
	out := ""
	for _, d := range ds {
		out += d.ID + " "
	}
	return out
}

// Invariant 4: the same id again is known, whatever it says now and however far
// the first has come.
func TestEnqueueTwice(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	first := message("answer-1", roomA, "one")
	if !b.enqueue(t, first) || b.enqueue(t, message("answer-1", roomA, "two")) {
		t.Fatal("want one fresh and one known")
	}
	due := b.next(t)
	if len(due) != 1 || Body(due[0].Content) != "one" {
		t.Fatalf("due = %+v", due)
	}
	if b.enqueue(t, first) || !b.sent(t, "answer-1", "$1") || b.enqueue(t, first) {
		t.Error("a delivery on its way, or sent, was taken for a new one")
	}
	if due := b.next(t); len(due) != 0 {
		t.Errorf("sent twice: %v", idsOf(due))
	}
}

// Invariant 5.
func TestOrderAndIndependence(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for _, d := range []Delivery{message("a1", roomA, "x"), message("a2", roomA, "x"), message("b1", roomB, "x"), message("b2", roomB, "x")} {
		b.enqueue(t, d)
	}
	if got := idsOf(b.next(t)); got != "a1 b1 " {
		t.Fatalf("first: %s", got)
	}
	if got := idsOf(b.next(t)); got != "" {
		t.Fatalf("while those are being sent: %s", got)
	}
	retry := b.now.Add(time.Minute)
	b.failed(t, "a1", KindRateLimited, retry)
	b.sent(t, "b1", "$b1")
	due, next, err := b.outbox.Next(t.Context(), bot)
	if err != nil || idsOf(due) != "b2 " || !next.Equal(retry) {
		t.Fatalf("Next = %s, %v, %v", idsOf(due), next, err)
	}
	b.now = retry
	due = b.next(t)
	if idsOf(due) != "a1 " || due[0].Attempts != 2 || due[0].ErrorKind != KindRateLimited {
		t.Fatalf("after the wait: %+v", due)
	}
	b.failed(t, "a1", KindForbidden, time.Time{})
	if got := idsOf(b.next(t)); got != "a2 " {
		t.Errorf("after a final failure: %s", got)
	}
	if d := b.get(t, "a1"); d.State != Failed || d.ErrorKind != KindForbidden {
		t.Errorf("a1 = %+v", d)
	}
}

// A process that dies between the homeserver's acceptance and MarkSent sends
// again under the same transaction id (invariant 4).
func TestCrashBeforeMarkSent(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.enqueue(t, message("m", roomA, "x"))
	before := b.next(t)[0]
	b.reopen(t)
	again := b.next(t)
	if len(again) != 1 || again[0].TxnID != before.TxnID || again[0].TxnID == "" || again[0].Attempts != 2 {
		t.Fatalf("after the crash: %+v, before: %+v", again, before)
	}
}

// The transaction id of a delivery never changes, also not between versions of
// the program: one may have begun what the next one ends.
func TestTxnID(t *testing.T) {
	t.Parallel()
	if got := txnID("answer-1"); got != "mindroom-8ddd39739b22e33c0be080a6af93a47e" {
		t.Errorf("txnID = %s", got)
	}
}

// An answer that was lost comes back with the sync: no second attempt.
func TestEcho(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.enqueue(t, message("m", roomA, "x"))
	d := b.next(t)[0]
	b.failed(t, "m", KindUnreachable, b.now)
	echo := func(account, txn, event string) (settled bool) {
		b.write(t, func(tx *store.Tx) (err error) {
			settled, err = b.outbox.Echo(tx, account, txn, event)
			return err
		})
		return settled
	}
	if echo(alice, d.TxnID, "$x") || echo(bot, "unknown", "$x") {
		t.Error("a stranger's transaction settled a delivery")
	}
	if !echo(bot, d.TxnID, "$m") || echo(bot, d.TxnID, "$m") {
		t.Error("want settled once")
	}
	if got := b.get(t, "m"); got.State != Sent || got.EventID != "$m" || len(b.next(t)) != 0 {
		t.Errorf("m = %+v", got)
	}
	// A homeserver that forgot the transaction made a second copy (invariant 9).
	if b.sent(t, "m", "$copy") {
		t.Error("the second answer won")
	}
	for _, event := range []string{"$m", "$copy"} {
		err := b.db.Read(t.Context(), func(r *store.Reader) error {
			d, ours, err := ByEvent(r, bot, event)
			if !ours || d.ID != "m" || d.EventID != "$m" {
				t.Errorf("ByEvent(%s) = %+v, %v", event, d, ours)
			}
			_, others, err2 := ByEvent(r, alice, event)
			if others {
				t.Error("another account's event")
			}
			return errors.Join(err, err2)
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Invariant 7.
func TestProgress(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.enqueue(t, message("m", roomA, "…"))
	b.progress(t, roomA, "m", "one")
	b.progress(t, roomA, "m", "two") // coalesced
	b.sent(t, b.next(t)[0].ID, "$m")
	p := b.next(t)
	if len(p) != 1 || Body(p[0].Content) != "two" || p[0].Target.Event != "$m" {
		t.Fatalf("progress = %+v", p)
	}
	b.progress(t, roomA, "m", "three") // beside the one on its way
	b.failed(t, p[0].ID, KindUnreachable, b.now)
	if got := b.get(t, p[0].ID); got.State != Superseded {
		t.Errorf("an edit that is out of date is tried again: %+v", got)
	}
	p2 := b.next(t)
	if len(p2) != 1 || Body(p2[0].Content) != "three" || p2[0].TxnID == p[0].TxnID {
		t.Fatalf("progress = %+v", p2)
	}
	// Not sure whether it arrived: new content may not hide behind its transaction.
	b.failed(t, p2[0].ID, KindUnreachable, b.now)
	b.write(t, func(tx *store.Tx) error { // names the target by its event
		d := edit("", roomA, "", "four")
		d.Target = Target{Event: "$m"}
		_, err := b.outbox.EnqueueProgress(tx, d)
		return err
	})
	if got := b.get(t, p2[0].ID); got.State != Superseded {
		t.Errorf("p2 = %+v", got)
	}
	b.enqueue(t, edit("m-final", roomA, "m", "done"))
	if b.progress(t, roomA, "m", "late") {
		t.Error("progress after the final edit")
	}
	f := b.next(t)
	if idsOf(f) != "m-final " || f[0].Target.Event != "$m" {
		t.Fatalf("final = %+v", f)
	}
	b.sent(t, "m-final", "$f")
	if rest := b.next(t); len(rest) != 0 {
		t.Errorf("after the final edit: %s", idsOf(rest))
	}
}

// Invariant 8.
func TestTargets(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.enqueue(t, message("m", roomA, "x"))
	b.enqueue(t, edit("e", roomA, "m", "y"))
	reaction := message("r", roomA, "")
	reaction.Kind, reaction.Type, reaction.Target = KindReaction, "m.reaction", Target{Delivery: "m"}
	b.enqueue(t, reaction)
	inThread := message("t", roomA, "z")
	inThread.Target = Target{Delivery: "m"}
	b.enqueue(t, inThread)
	b.enqueue(t, message("after", roomA, "x"))
	b.next(t)
	b.failed(t, "m", KindForbidden, time.Time{})
	if got := idsOf(b.next(t)); got != "after " {
		t.Errorf("next = %s", got)
	}
	for _, id := range []string{"e", "r", "t"} {
		if d := b.get(t, id); d.State != Failed || d.ErrorKind != KindTargetFailed {
			t.Errorf("%s = %+v", id, d)
		}
	}
}

func TestEnqueueRefuses(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.enqueue(t, message("m", roomA, "x"))
	for name, change := range map[string]func(*Delivery){
		"no id":                   func(d *Delivery) { d.ID = "" },
		"no room":                 func(d *Delivery) { d.Room = "" },
		"no account":              func(d *Delivery) { d.Account = "" },
		"no type":                 func(d *Delivery) { d.Type = "" },
		"kind":                    func(d *Delivery) { d.Kind = "typing" },
		"content no JSON":         func(d *Delivery) { d.Content = json.RawMessage("{") },
		"content no object":       func(d *Delivery) { d.Content = json.RawMessage("null") },
		"edit of nothing":         func(d *Delivery) { d.Kind = KindEdit },
		"two targets":             func(d *Delivery) { d.Kind, d.Target = KindEdit, Target{"m", "$m"} },
		"unknown target":          func(d *Delivery) { d.Kind, d.Target = KindEdit, Target{Delivery: "nobody"} },
		"target in another room":  func(d *Delivery) { d.Kind, d.Target, d.Room = KindEdit, Target{Delivery: "m"}, roomB },
		"message with two thread": func(d *Delivery) { d.Target, d.ThreadRoot = Target{Delivery: "m"}, "$root" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := message("other", roomA, "x")
			change(&d)
			err := b.db.Write(t.Context(), func(tx *store.Tx) error { _, err := b.outbox.Enqueue(tx, d); return err })
			if err == nil {
				t.Errorf("%+v was accepted", d)
			}
			if name == "unknown target" && !errors.Is(err, ErrUnknown) {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// Invariant 6: every pair of states, through the one function that moves.
func TestTransitions(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	want := map[State][]State{Queued: {Sending, Superseded, Failed, Sent}, Sending: {Sent, Queued, Failed, Superseded}}
	states := []State{Queued, Sending, Sent, Failed, Superseded}
	for _, from := range states {
		for _, to := range states {
			id := string(from) + "-" + string(to)
			b.enqueue(t, message(id, roomA, "x"))
			b.write(t, func(tx *store.Tx) error {
				_, err := tx.Exec("UPDATE chat_deliveries SET state = $1 WHERE id = $2", string(from), id)
				return err
			})
			err := b.db.Write(t.Context(), func(tx *store.Tx) error {
				d, err := Get(tx, id)
				if err != nil {
					return err
				}
				return b.outbox.move(tx, d, to, "$e", time.Time{}, "")
			})
			ok := false
			for _, s := range want[from] {
				ok = ok || s == to
			}
			if (err == nil) != ok {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.enqueue(t, message("m", roomA, "x"))
	g := lifecycle.New(t.Context())
	g.Go("waits", func(ctx context.Context) error {
		event, state, err := b.outbox.Wait(ctx, "m")
		if event != "$m" || state != Sent {
			t.Errorf("Wait = %s, %s, %v", event, state, err)
		}
		return err
	})
	b.next(t)
	b.sent(t, "m", "$m")
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	if event, state, err := b.outbox.Wait(t.Context(), "m"); event != "$m" || state != Sent || err != nil { // after the fact
		t.Errorf("Wait = %s, %s, %v", event, state, err)
	}
	if _, _, err := b.outbox.Wait(t.Context(), "nobody"); !errors.Is(err, ErrUnknown) {
		t.Errorf("Wait for nobody = %v", err)
	}
	b.enqueue(t, message("n", roomA, "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.outbox.Wait(ctx, "n"); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait with an ended context = %v", err)
	}
}

func TestWake(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	wake, end := b.outbox.Wake(bot)
	woken := func() bool {
		select {
		case <-wake:
			return true
		default:
			return false
		}
	}
	if woken() {
		t.Error("woken by nothing")
	}
	failing := errors.New("failing")
	err := b.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := b.outbox.Enqueue(tx, message("m", roomA, "x"))
		return errors.Join(err, failing)
	})
	if !errors.Is(err, failing) || woken() {
		t.Errorf("woken by what was not committed: %v", err)
	}
	b.enqueue(t, message("m", roomA, "x"))
	b.enqueue(t, message("n", roomA, "x"))
	if !woken() || woken() {
		t.Error("want one signal for two commits")
	}
	b.next(t)
	if woken() {
		t.Error("the pump wakes itself")
	}
	b.sent(t, "m", "$m")
	if !woken() {
		t.Error("the room's next delivery gave no signal")
	}
	end()
	b.enqueue(t, message("o", roomA, "x"))
	if woken() {
		t.Error("a signal after the end")
	}
}
