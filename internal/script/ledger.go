package script

import (
	"context"
	"encoding/json"
	"fmt"

	"mindroom/internal/excerpt"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// ledger keeps the receipts of one run as rows.
type ledger struct {
	m  *Manager
	lv *live
}

var _ tool.Ledger = (*ledger)(nil)

// Begin makes it durable that the call's body is about to run. A claim that
// found its lane free holds the mark already.
func (l *ledger) Begin(ctx context.Context, ref tool.Ref) error {
	p := l.lv.calls.find(ref.ID)
	if p == nil {
		return fmt.Errorf("call %s is not claimed", ref)
	}
	if p.receipt.Begun {
		return ctx.Err()
	}
	var did bool
	err := l.m.cfg.DB.Write(ctx, func(tx *store.Tx) (err error) {
		did, err = beginCall(tx, l.lv.run.ID, ref.ID)
		return err
	})
	if err != nil {
		return err
	}
	if !did {
		return fmt.Errorf("call %s has ended already", ref)
	}
	l.m.reached(step.CallBegun)
	return nil
}

// End writes the terminal receipt, with the audit record in the same
// transaction. The first end wins. Who is held for it is woken when the
// executor is through.
func (l *ledger) End(ctx context.Context, ref tool.Ref, out tool.Outcome, also func(*store.Tx) error) (tool.Outcome, error) {
	out = forScripts(out)
	won := out
	err := l.m.write(ctx, func(tx *store.Tx) error {
		did, err := endCall(tx, l.lv.run.ID, ref.ID, out, l.m.cfg.Now.Now())
		if err != nil {
			return err
		}
		if !did {
			first, err := getCall(tx, l.lv.run.ID, ref.ID)
			if err != nil {
				return err
			}
			if first == nil {
				return fmt.Errorf("call %s: its row is gone", ref)
			}
			won = first.outcome()
		}
		if also == nil || !did { // the end that was first has its record
			return nil
		}
		return also(tx)
	})
	if err != nil {
		return out, err
	}
	l.m.reached(step.CallEnded)
	if p := l.lv.calls.find(ref.ID); p != nil {
		p.final = won
	}
	return won, nil
}

// forScripts puts an outcome into the states and kinds of the script protocol: a
// call is pending, completed, failed or indeterminate, and what the agent no
// longer offers reads as a revoked capability (S60).
func forScripts(out tool.Outcome) tool.Outcome {
	if out.State == tool.StateCancelled {
		out.State = tool.StateFailed
	}
	if out.Fault != nil {
		f := *out.Fault
		switch f.Kind {
		case tool.FaultNotAvailable, tool.FaultUnknown, tool.FaultUnauthorised:
			f.Kind = tool.FaultRevoked
		case tool.FaultCancelled:
			f.Kind = tool.FaultUnavailable
		}
		f.Message = excerpt.Head(f.Message, 4096)
		out.Fault = &f
	}
	return out
}

// boundReceipt refuses a result that does not fit into a receipt (S35).
func boundReceipt(_ context.Context, in tool.Invocation, value json.RawMessage) (json.RawMessage, *tool.Fault) {
	// The receipt wraps result and error in one object.
	const wrapper = len(`{"error":null,"result":}`)
	if len(value)+wrapper > maxReceipt {
		return nil, tool.Faultf(tool.FaultTooLarge, "the result of %s is %d bytes, over the bound of %d; the call itself took place. Ask for less, or let it write to a file", in.Name, len(value), maxReceipt)
	}
	return value, nil
}
