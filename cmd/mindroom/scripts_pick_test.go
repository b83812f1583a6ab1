package main

import (
	"strings"
	"testing"

	"mindroom/internal/control"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	runs := []control.Run{
		{ID: "script-aa11", Name: "watcher", State: "running"}, {ID: "script-aa22", Name: "watcher", State: "exited"},
		{ID: "script-bb33", Name: "twin", State: "running"}, {ID: "script-bb44", Name: "twin", State: "starting"},
		{ID: "script-cc55", Name: "gone", State: "failed"}, {ID: "script-cc66", Name: "gone", State: "exited"},
		{ID: "script-dd77", Name: "", State: "exited"}, {ID: "script-dd88", Name: "script-aa", State: "exited"},
	}
	for arg, want := range map[string]string{
		"watcher": "script-aa11", "script-aa2": "script-aa22", "aa2": "script-aa22", "cc6": "script-cc66", "dd7": "script-dd77",
		"script-aa": "script-dd88", // a name that is meant exactly beats the beginning of ids
		"twin":      "!2 runs are named", "gone": "!2 runs are named", "aa": "!2 runs begin with", "zz": "!no run has", "": "!RUN is empty",
	} {
		got, err := choose(runs, arg)
		if text, fails := strings.CutPrefix(want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("choose(%q) = %v, %v; want an error with %q", arg, got.ID, err, text)
			}
		} else if err != nil || got.ID != want {
			t.Errorf("choose(%q) = %v, %v; want %s", arg, got.ID, err, want)
		}
	}
}
