package explain

import (
	"slices"

	"mindroom/internal/audit"
	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

// call joins what the audit and the ledger of the door know of a call.
func (v *view) call(ref tool.Ref) (*Call, error) {
	c := &Call{Ref: ref}
	if err := v.fromAudit(c); err != nil {
		return nil, err
	}
	known, err := v.fromLedger(c)
	if err != nil {
		return nil, err
	}
	if !known && !c.Recorded {
		return nil, ErrUnknown
	}
	switch {
	case c.Began:
		c.Hooks = HooksPassed
		if c.Where == "" {
			c.Where = InRuntime
		}
	case c.Receipt.Fault == tool.FaultDeclined:
		c.Hooks, c.HooksSaid = HooksDeclined, c.Receipt.Message
	}
	return c, v.granted(c)
}

// fromAudit fills in what the audit has. Of several ends the first was the one.
func (v *view) fromAudit(c *Call) error {
	records, err := audit.OfCall(v.q, c.Owner, c.ID)
	if err != nil || len(records) == 0 {
		return err
	}
	r := records[0]
	ended := r.At.Add(r.Duration)
	c.Recorded, c.Ref, c.Name = true, r.Ref, r.Name
	c.Agent, c.Requester, c.Room, c.Thread = r.Agent, r.Requester, r.Room, r.Thread
	c.Digest, c.Arguments = r.Digest, v.words(r.Arguments)
	c.Verdict, c.Rule, c.Began = tool.VerdictKind(r.Verdict), v.words(r.Rule), r.Began
	if r.Place == tool.InWorker {
		c.Where = InWorker
	}
	c.Receipt = Receipt{State: r.State, Fault: r.Fault, Message: v.words(r.Message)}
	c.Created, c.Ended = instant(r.At), instant(ended)
	return nil
}

// fromLedger fills in what the receipt says, which is what the caller heard.
func (v *view) fromLedger(c *Call) (known bool, err error) {
	if c.Door == tool.DoorTurn {
		return v.fromTurn(c)
	}
	receipts, err := script.OfCall(v.q, identity.RunID(c.Owner), c.ID)
	if err != nil || len(receipts) == 0 {
		return false, err
	}
	r := receipts[0]
	c.Name, c.Digest, c.Began = r.Name, r.Digest, r.Begun
	c.Created, c.Ended = instant(r.Created), instant(r.Ended)
	c.Receipt = Receipt{State: r.State, Bytes: len(r.Result), Result: v.words(string(r.Result))}
	if r.Fault != nil {
		c.Receipt.Fault, c.Receipt.Message = r.Fault.Kind, v.words(r.Fault.Message)
	}
	return true, nil
}

// fromTurn knows the calls of a turn's open batch only; the rest is in the audit.
func (v *view) fromTurn(c *Call) (known bool, err error) {
	open, err := turn.Open(v.q, c.Owner)
	if err != nil {
		return false, err
	}
	for _, o := range open {
		if o.Ref.ID != c.ID {
			continue
		}
		if !c.Recorded {
			c.Name, c.Began, c.Receipt.State = tool.Name{Function: o.Function}, true, tool.StatePending
		}
		return true, nil
	}
	return false, nil
}

// granted says what let the call in, and completes who made it.
func (v *view) granted(c *Call) error {
	if c.Door != tool.DoorScript {
		c.Grant.By = BySurface
		if c.Agent == "" {
			t, found, err := turn.Read(v.q, c.Owner)
			if err != nil {
				return err
			}
			if found {
				c.Agent, c.Requester, c.Room, c.Thread = t.Agent, t.Who.Requester, t.Who.Room, t.Who.ResolvedThread
			}
		}
	} else {
		r, found, err := script.Read(v.q, identity.RunID(c.Owner))
		if err != nil {
			return err
		}
		if found {
			captured, preapproved := r.Granted(c.Name), slices.Contains(r.Unambiguous, c.Name)
			c.Grant.By, c.Grant.Captured, c.Grant.Preapproved = ByLaunch, &captured, &preapproved
			c.Agent, c.Requester, c.Room, c.Thread = r.Who.Agent, r.Who.Requester, r.Who.Room, r.Who.ResolvedThread
		}
	}
	if c.Agent != "" && c.Toolkit != "" {
		c.Grant.Offered = v.offered(c.Agent, c.Name)
	}
	return nil
}
