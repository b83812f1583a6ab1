package console

import (
	"testing"

	"mindroom/internal/person"
)

func TestBook(t *testing.T) {
	t.Parallel()
	b := newBook()
	for i, c := range []struct {
		event person.Event
		did   change
		body  string
	}{
		{said("$1", ann, "hello", "", ""), finished, "hello"},
		{said("$1", ann, "hello", "", ""), nothing, ""},
		{said("$2", keeper, "thinking", "$1", "pending"), grew, "thinking"},
		{changed("$3", keeper, "$2", "a", "streaming"), grew, "a"},
		{changed("$4", ann, "$2", "forged", "completed"), nothing, ""},
		{changed("$5", keeper, "$2", "asks", "approval_pending"), grew, "asks"},
		{changed("$6", keeper, "$2", "done", "completed"), finished, "done"},
		{changed("$7", keeper, "$2", "done", "completed"), nothing, "done"},
		{changed("$8", keeper, "$2", "done better", "completed"), edited, "done better"},
		{changed("$9", keeper, "$unknown", "x", ""), nothing, ""},
		{said("$10", keeper, "again", "$1", "streaming"), grew, "again"},
		{redaction("$11", "$10"), removed, ""},
		{redaction("$12", "$unknown"), nothing, ""},
		{member("$13", keeper, "join", "Keeper"), nothing, ""},
	} {
		e, did := b.take(c.event)
		if did != c.did || (e != nil && e.Body != c.body) || (e == nil) != (c.body == "" && did != removed) {
			t.Errorf("%d: %v, %+v; want %v and %q", i, did, e, c.did, c.body)
		}
		if did == finished {
			e.shown = true
		}
	}
	if live := b.live(); len(live) != 0 {
		t.Errorf("still being written: %+v", live[0])
	}
	if b.number["$1"] != 1 || len(b.threads) != 1 {
		t.Errorf("threads: %v", b.threads)
	}
}
