package turn

import (
	"mindroom/internal/canonical"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// recordingLost is end with the audit records of what the last process took with it.
func (e *Engine) recordingLost(r row, cp Checkpoint, end func(*store.Tx) error) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		begun, err := begunCalls(tx, r.id)
		if err != nil {
			return err
		}
		held, err := waits(tx, r)
		if err != nil {
			return err
		}
		// A command that waited is lost like any other: nobody goes on with it.
		cp.Calls = append([]batchCall(nil), cp.Calls...)
		for i := range cp.Calls {
			cp.Calls[i].Paused = nil
		}
		if err := e.recordLost(tx, r, cp, held, begun); err != nil {
			return err
		}
		return end(tx)
	}
}

// callOf is a call of an open batch as the room knows it.
func (e *Engine) callOf(r row, cp Checkpoint, c batchCall) tool.Call {
	call := tool.Call{Ref: tool.Ref{Door: tool.DoorTurn, Owner: r.id, ID: c.Ref}, Name: e.nameOf(r.agent, c.Call.Name), Who: r.who, Depth: r.depth}
	args, err := canonical.Parse([]byte(c.Call.Arguments), canonical.Limits{})
	if err != nil {
		return call // it began with what this build cannot read
	}
	call.Args = args
	if cp.Mode != mode.Minimal || c.Call.Name != bashName {
		return call
	}
	call.Name = shellTool
	if shell, fault := bashArguments(args); fault == nil {
		call.Args = shell
	}
	return call
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
