package chat

import (
	"testing"

	"mindroom/internal/store"
)

// Invariant 9: of two events of one message the room keeps the first that was
// known, by whichever way the second is heard of, and however often.
func TestCopiesAreTakenBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind  Kind
		heard []string // events in the order in which they are heard of
		want  string   // events that are taken back
	}{
		"one event":            {KindMessage, []string{"$1", "$1", "$1"}, ""},
		"two":                  {KindMessage, []string{"$1", "$2"}, "$2 "},
		"two, again and again": {KindMessage, []string{"$1", "$2", "$1", "$2"}, "$2 "},
		"three":                {KindMessage, []string{"$1", "$2", "$3"}, "$2 $3 "},
		"a reaction":           {KindReaction, []string{"$1", "$2"}, "$2 "},
		"an edit shows once":   {KindEdit, []string{"$1", "$2"}, ""},
	} {
		for _, echo := range []bool{true, false} {
			t.Run(name+map[bool]string{true: ", by echo", false: ", by answer"}[echo], func(t *testing.T) {
				t.Parallel()
				b := newBundle(t)
				d := message("m", roomA, "x")
				if d.Kind = c.kind; d.Kind != KindMessage {
					d.Target = Target{Event: "$old"}
				}
				b.enqueue(t, d)
				d = b.next(t)[0]
				for _, event := range c.heard {
					b.write(t, func(tx *store.Tx) (err error) {
						if echo {
							_, err = b.outbox.Echo(tx, bot, d.TxnID, event)
						} else {
							_, err = b.outbox.MarkSent(tx, d.ID, event)
						}
						return err
					})
				}
				var got string
				for due := b.next(t); len(due) > 0; due = b.next(t) {
					r := due[0]
					if r.Kind != KindRedaction || r.Room != roomA {
						t.Errorf("%+v goes out", r)
					}
					got += r.Target.Event + " "
					b.sent(t, r.ID, "$redaction of "+r.Target.Event)
				}
				if got != c.want {
					t.Errorf("%q is taken back, not %q", got, c.want)
				}
				if m := b.get(t, "m"); m.State != Sent || m.EventID != "$1" {
					t.Errorf("the delivery is %s as %s", m.State, m.EventID)
				}
			})
		}
	}
}
