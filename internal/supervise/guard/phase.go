//go:build linux

package guard

import (
	"fmt"
	"slices"

	"mindroom/internal/supervise/wire"
)

// transitions is the table of the package's page; every change of phase goes through it.
var transitions = map[wire.Phase][]wire.Phase{
	wire.PhaseStarting: {wire.PhaseRunning, wire.PhaseDead},
	wire.PhaseRunning:  {wire.PhaseDetached, wire.PhaseEnding, wire.PhaseDead},
	wire.PhaseDetached: {wire.PhaseEnding, wire.PhaseDead},
	wire.PhaseEnding:   {wire.PhaseDead},
	wire.PhaseDead:     nil,
}

// enter changes the phase; staying is no change. A change the table does not have is a fault of this program: it is told and not made, because a supervisor
// that gave up over it would let its tree go.
func (g *guard) enter(to wire.Phase) {
	if g.phase == to {
		return
	}
	if !slices.Contains(transitions[g.phase], to) {
		g.talk.note(fmt.Errorf("fault: no way from %s to %s", g.phase, to))
		return
	}
	g.phase = to
}
