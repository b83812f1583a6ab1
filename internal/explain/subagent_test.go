package explain

import (
	"slices"
	"testing"
)

// A subagent's turn was caused by the call that asked for it.
func TestASubagentLeadsToItsCaller(t *testing.T) {
	t.Parallel()
	s, o, db := changing(t)
	change(t, db, `UPDATE turns SET subagent = 'sub-1', trigger_event = $2 WHERE turn_id = $1`, s.Woken, s.Start.String())
	r := explained(t, o, "", s.Woken)
	want := []string{"turn " + s.Woken, "call " + s.Turn + " " + s.Start.ID, "turn " + s.Turn, "message " + s.Message}
	if got := ids(r); !slices.Equal(got, want) || r.End != endMessage {
		t.Errorf("the chain is %q and ends because %s", got, r.End)
	}
	if first := r.Chain[0].Turn; first.Subagent != "sub-1" || first.CalledBy == nil || first.Trigger != "" {
		t.Errorf("the turn is %+v", first)
	}
}
