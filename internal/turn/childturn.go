package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"mindroom/internal/identity"
	"mindroom/internal/model"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// turnOf makes a turn of a subagent, under the call that asked for it and with what
// keep writes beside it, and has it carried to its end or started in the background.
func (e *Engine) turnOf(ctx context.Context, c caller, s subagent, text string, keep func(*store.Tx, subagent) error) (Report, error) {
	s.turn = string(identity.NewTurnID())
	cp := newCheckpoint()
	cp.Phase, cp.Mode, cp.Began = phaseAsk, s.mode, e.Wall.Stamp()
	cp.Messages = append(slices.Clone(s.transcript), model.UserText(text))
	checkpoint, err := cp.encode()
	if err != nil {
		return Report{}, err
	}
	err = e.DB.Write(ctx, func(tx *store.Tx) error {
		if err := s.room(tx); err != nil {
			return err
		}
		if err := e.createChild(tx, c, s, checkpoint); err != nil {
			return err
		}
		return keep(tx, s)
	})
	if err != nil {
		return Report{}, err
	}
	ch := &child{sub: s, asks: c.asks(s.mode)}
	if s.background {
		if !e.job(s.turn, ch) {
			return Report{}, errStopping
		}
		return e.reported(ctx, s.id)
	}
	ch.above, ch.call = c.response, c.call.Ref
	if !e.carry(ctx, s.turn, ch) {
		return Report{}, tool.Faultf(tool.FaultIndeterminate, "The service was restarted while subagent %s worked, and it was interrupted. continue_subagent goes on with it.", s.id)
	}
	if ctx.Err() != nil {
		return Report{}, fmt.Errorf("subagent %s was ended with its caller: %w", s.id, ctx.Err())
	}
	return e.reported(ctx, s.id)
}

// createChild records the turn of a subagent. The call that asked for it is what it
// answers, so that no call makes two.
func (e *Engine) createChild(tx *store.Tx, c caller, s subagent, checkpoint string) error {
	who, err := json.Marshal(c.identity(s.agent))
	if err != nil {
		return fmt.Errorf("write the identity of subagent %s: %w", s.id, err)
	}
	n, err := tx.Exec(`INSERT INTO turns (turn_id, seq, agent, account, conversation, room_id, thread_root, trigger_event,
			identity, depth, state, reason, cancel_by, attempts, checkpoint, subagent, created_at, changed_at)
		SELECT $1, COALESCE(MAX(seq), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', '', 0, $11, $4, $12, $12 FROM turns WHERE true
		ON CONFLICT (agent, trigger_event) DO NOTHING`,
		s.turn, s.agent, c.row.account, s.id, c.row.room, c.row.threadRoot, c.call.Ref.String(),
		string(who), c.call.Depth, string(Clean), checkpoint, e.Wall.Stamp())
	if err == nil && n == 0 {
		err = fmt.Errorf("call %s has a subagent already", c.call.Ref)
	}
	if err != nil {
		return fmt.Errorf("record the turn of subagent %s: %w", s.id, err)
	}
	return nil
}
