package turn

import (
	"context"

	"mindroom/internal/tool"
)

// takeOn goes on with the open batch of a turn that was parked and about which
// everything is decided.
func (r *response) takeOn(ctx context.Context) (end ending, over bool, err error) {
	r.resumed = true
	defer func() { r.resumed = false }()
	if r.cp.pauses() {
		return r.carryHeld(ctx)
	}
	return r.attempt(ctx, r.opened(), "")
}

// notRecovered is the end of a command of minimal mode that waited for a decision
// while its process was restarted: a saved command is never run (C22, M28). A no
// stands as it is.
func notRecovered(d *tool.Decision) *tool.Fault {
	switch {
	case d == nil:
		return tool.Faultf(tool.FaultCancelled, "the service was restarted while this command waited with others for an approval; it did not run. Issue it again if it is still needed.")
	case d.Kind == tool.Approved:
		return tool.Faultf(tool.FaultCancelled, "%s approved this command, but the service was restarted while it waited, so it did not run. Issue it again if it is still needed.", d.By)
	}
	return nil
}
