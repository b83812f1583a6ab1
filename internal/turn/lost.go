package turn

import (
	"fmt"

	"mindroom/internal/canonical"
	"mindroom/internal/clock"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// recordingLost is end with the audit records of the begun calls whose end the
// last process took with it: nothing else would ever tell of them. A call that
// had not begun was nobody's yet and has none.
func (e *Engine) recordingLost(r row, cp Checkpoint, end func(*store.Tx) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		begun, err := begunCalls(tx, r.id)
		if err != nil {
			return err
		}
		made, err := clock.ParseStamp(r.changed)
		if err != nil {
			return fmt.Errorf("turn %s: %w", r.id, err)
		}
		for _, c := range cp.Calls {
			if out, began := begun[c.Ref]; !began || out != nil {
				continue
			}
			args, err := canonical.Parse([]byte(c.Call.Arguments), canonical.Limits{})
			if err != nil {
				args = canonical.Doc{} // it began with what this build cannot read
			}
			err = e.Room.Audit.Record(tx, tool.AuditEntry{
				Call: tool.Call{
					Ref: tool.Ref{Door: tool.DoorTurn, Owner: r.id, ID: c.Ref}, Name: e.nameOf(r.agent, c.Call.Name), Args: args, Who: r.who, Depth: r.depth,
				},
				Outcome: lostCall(), Began: true, At: made, Duration: max(e.Wall.Now().Sub(made), 0),
			})
			if err != nil {
				return err
			}
		}
		return end(tx)
	}
}

// nameOf is a function's full name by the bare one that models use; without a
// toolkit when the agent does not have it any more.
func (e *Engine) nameOf(agent, function string) tool.Name {
	if surface, err := e.Room.Registry.Surface(e.Config.Current(), agent); err == nil {
		if f := surface.Bare(function); f != nil {
			return f.Name
		}
	}
	return tool.Name{Function: function}
}
