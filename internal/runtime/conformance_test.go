package runtime

import (
	"os"
	"strings"
	"testing"

	"mindroom/internal/config"
)

// Only a mode that says off lets scripts run here; otherwise the refusal names
// the variable to set (S56).
func TestConformanceLocalScriptsNeedAWord(t *testing.T) {
	t.Parallel()
	for _, mode := range []config.ExecutionMode{config.ModeUnset, config.ModeSelective, config.ModeAll} {
		err := localAllowed(config.Workers{Mode: mode})()
		if err == nil || !strings.Contains(err.Error(), "MINDROOM_SANDBOX_EXECUTION_MODE=off") {
			t.Errorf("mode %q: %v", mode, err)
		}
	}
	if err := localAllowed(config.Workers{Mode: config.ModeOff})(); err != nil {
		t.Errorf("mode off: %v", err)
	}
}

// A local script inherits everything but the place of the control state (S56).
func TestConformanceWhatLocalScriptsInherit(t *testing.T) {
	t.Setenv("MINDROOM_CONTROL_STATE_PATH", "/somewhere")
	t.Setenv("CONFORMANCE_PROVIDER_KEY", "inherited")
	got := environ()
	kept := false
	for _, v := range got {
		kept = kept || v == "CONFORMANCE_PROVIDER_KEY=inherited"
		if strings.HasPrefix(v, "MINDROOM_CONTROL_STATE_PATH=") {
			t.Error("the place of the control state is inherited")
		}
	}
	if !kept || len(got) != len(os.Environ())-1 {
		t.Errorf("%d of %d variables are inherited, the key among them: %v", len(got), len(os.Environ()), kept)
	}
}
