package command

import (
	"testing"
	"time"

	"mindroom/internal/store"
)

// What was open in a backup is neither carried out nor told of.
func TestRestore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.says(Request{EventID: "$1", Room: ops, Sender: ann, Text: "!change_it"})
	w.says(Request{EventID: "$2", Room: ops, Sender: ann, Text: "!change_it"})
	must(t, w.db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.Exec(`UPDATE commands SET state = 'begun' WHERE event_id = '$1'`); err != nil {
			return err
		}
		return Restore(tx, time.Now())
	}))
	w.start()
	w.says(Request{EventID: "$3", Room: ops, Sender: ann, Text: "!help"})
	w.becomes("$3", Answered)
	for _, event := range []string{"$1", "$2"} {
		if _, body, ok := w.answered(event); ok || w.state(event) != Silent {
			t.Errorf("%s is %s and answered %q", event, w.state(event), body)
		}
	}
	if len(w.ran) != 0 {
		t.Errorf("%v were carried out", w.ran)
	}
}
