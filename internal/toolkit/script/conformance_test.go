package script_test

import "testing"

// What is left out means what the document says: finished runs are listed and a
// cancellation is graceful (S27, S86).
func TestConformanceDefaultsOfTheArguments(t *testing.T) {
	t.Parallel()
	f := &fake{force: true}
	fs := functions(t, f, nil)
	call(t, fs["list_scripts"], "", `{}`)
	call(t, fs["cancel_script"], "", `{"run_id":"r"}`)
	if !f.finished || f.force {
		t.Errorf("finished runs %v, force %v", f.finished, f.force)
	}
	call(t, fs["start_script"], "", `{"source":"print(1)","path":null,"name":null,"resource_profile":null}`)
	if got := f.launched[0]; got.Name != "" || got.Profile != "" || string(got.Source.Bytes) != "print(1)" {
		t.Errorf("null arguments gave %+v", got)
	}
}
