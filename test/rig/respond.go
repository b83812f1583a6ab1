package rig

import (
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/turncli"
)

// Respond opens a response of the rig's agent to requester, as a turn does before its
// first shell command: windows are opened with Owner.Open under calls of the turn, and
// what may need a person is not offered. The caller releases it.
func (r *Rig) Respond(requester, turn string) (*turncli.Owner, error) {
	snap := r.Snapshots.Current()
	surface, err := r.Registry.Surface(snap, Agent)
	if err != nil {
		return nil, err
	}
	return r.Commands.Open(turncli.Opening{
		Turn: turn, Who: identity.InThread(Agent, requester, room, thread), Began: time.Now(), Snapshot: snap, Surface: surface,
	})
}
