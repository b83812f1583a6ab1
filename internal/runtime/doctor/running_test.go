package doctor

import (
	"strings"
	"testing"
	"time"

	"mindroom/internal/config/reload"
	"mindroom/internal/control"
	"mindroom/internal/script"
)

func TestInForce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		standing reload.Standing
		status   []Status
		found    string
	}{
		"as at the start": {reload.Standing{Number: 1}, []Status{OK}, "that of the start"},
		"reloaded":        {reload.Standing{Number: 3, Since: time.Unix(0, 0).UTC()}, []Status{OK}, "1970-01-01"},
		"refused":         {reload.Standing{Number: 3, Fault: "config.yaml:2:1: wrong"}, []Status{Warn}, "config.yaml:2:1: wrong"},
		"a new variable":  {reload.Standing{Number: 1, Restart: []string{"A", "B"}}, []Status{Warn}, "A, B"},
		"both":            {reload.Standing{Number: 1, Fault: "x", Restart: []string{"A"}}, []Status{Warn, Warn}, "x"},
	} {
		got := inForce(c.standing)
		if len(got) != len(c.status) || got[0].Status != c.status[0] || !strings.Contains(got[0].Found, c.found) {
			t.Errorf("%s: %+v", name, got)
		}
		for _, f := range got {
			if (f.Fix == "") != (f.Status == OK) {
				t.Errorf("%s: %+v has the wrong advice", name, f)
			}
		}
	}
}

func TestBlocked(t *testing.T) {
	t.Parallel()
	got := blocked([]control.Run{{ID: "script-1"}, {ID: "script-2", Trouble: &script.Trouble{What: "its folder cannot be removed", Restore: "make it writable"}}})
	want := Finding{"scripts left", Fail, "script-2 has to end and cannot yet: its folder cannot be removed", "make it writable"}
	if len(got) != 1 || got[0] != want {
		t.Errorf("%+v", got)
	}
}
