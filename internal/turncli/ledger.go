package turncli

import (
	"context"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// ledger keeps one call's receipt in the response's memory, and what it needs to
// be made in a later process in the database while it waited for a person.
type ledger struct {
	o     *Owner
	c     *call
	holds Holds
}

var _ tool.Ledger = (*ledger)(nil)

// Begin counts the call and, where it was held, makes it durable that it is about
// to run: then it is never run again (C22).
func (l *ledger) Begin(ctx context.Context, ref tool.Ref) error {
	if fault := l.count(); fault != nil {
		return fault
	}
	if !l.held() {
		return ctx.Err()
	}
	err := l.o.reg.DB.Write(ctx, func(tx *store.Tx) error { return l.holds.Begin(tx, ref) })
	if err != nil {
		l.uncount()
	}
	return err
}

// count takes one of the calls that the response may make.
func (l *ledger) count() *tool.Fault {
	l.o.mu.Lock()
	defer l.o.mu.Unlock()
	if l.c.began {
		return nil
	}
	if max := l.o.work.Calls; max > 0 && l.o.begun >= max {
		return l.o.limit()
	}
	l.o.begun++
	l.c.began, l.c.status = true, running
	return nil
}

// uncount gives back what count took for a call that then could not begin.
func (l *ledger) uncount() {
	l.o.mu.Lock()
	defer l.o.mu.Unlock()
	l.o.begun--
	l.c.began, l.c.status = false, queued
}

func (l *ledger) held() bool {
	l.o.mu.Lock()
	defer l.o.mu.Unlock()
	return l.c.held && l.holds != nil
}

// End writes the audit record and forgets what was held, in one transaction. What
// asks for control fences before the call gives its place in the lane back.
func (l *ledger) End(ctx context.Context, ref tool.Ref, out tool.Outcome, also func(*store.Tx) error) (tool.Outcome, error) {
	l.fence(out.Control)
	held := l.held()
	var files []attachment
	err := l.o.reg.DB.Write(ctx, func(tx *store.Tx) (err error) {
		if files, err = l.attach(tx, out); err != nil {
			return err
		}
		if held {
			if err := l.o.reg.Cards.WithdrawCall(tx, ref, "the call it is about is over"); err != nil {
				return err
			}
			if err := l.holds.End(tx, ref); err != nil {
				return err
			}
		}
		if also == nil {
			return nil
		}
		return also(tx)
	})
	if err != nil {
		return out, err
	}
	l.o.mu.Lock()
	l.c.attachments = files
	l.o.mu.Unlock()
	return out, nil
}

func (l *ledger) fence(asked tool.Control) {
	if asked == tool.ControlNone {
		return
	}
	l.o.mu.Lock()
	defer l.o.mu.Unlock()
	if l.o.phase != live {
		return // the response that it would control is over
	}
	l.o.fence = l.c.Name.String()
	if w := l.c.window; w != nil {
		w.control = max(w.control, asked)
	}
}
