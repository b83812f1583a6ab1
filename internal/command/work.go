package command

import (
	"context"
	"errors"

	"mindroom/internal/lifecycle"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// What people read when nothing was done. The first three are those of other
// builds (spec/runtime.md 4).
const (
	textUnknown    = "❌ Unknown command. Try !help for available commands."
	textAdmins     = "❌ Admin only."
	textRoomAdmins = "❌ Room admin only."
	textSpoken     = "❌ A voice message changes nothing. Please type this command."
	textFailed     = "❌ The command failed inside MindRoom. The operator finds the reason in the log."
	textUncertain  = "⚠️ MindRoom stopped while it carried this command out. Whether it took effect is not known, and it is not repeated. Please look, and give the command again if it is still needed."
)

// work brings a command to its end. It is false when that is not possible now:
// nothing can be told about the person, the store fails, or the process stops.
func (d *Desk) work(ctx context.Context, r row) bool {
	err := lifecycle.Call(func() error { return d.carryOut(ctx, r) })
	if err == nil || errors.Is(err, errLater) {
		return err == nil
	}
	if ctx.Err() == nil {
		d.Log.Error("a command came to no end; trying again", "event", r.EventID, "err", err)
	}
	return false
}

// errLater: it cannot be told now whether the person may.
var errLater = errors.New("it cannot be told whether the person may use commands here")

func (d *Desk) carryOut(ctx context.Context, r row) error {
	step.Reached(step.CommandAccepted)
	c := Call{
		EventID: r.EventID, Room: r.Room, Thread: r.Thread, Account: r.Account, Entity: r.Entity, Sender: r.Sender, Person: r.Person,
		Snapshot: d.Config.Current(), Registry: d.Registry,
	}
	switch d.Authority.Reach(ctx, d.Router, r.Sender, r.Room, c.Snapshot) {
	case tool.No:
		return d.end(ctx, r, Silent, "")
	case tool.CannotTell:
		return errLater
	}
	line, _ := Parse(r.Text)
	command, known := d.Registry.Find(line.Name)
	if !known {
		return d.end(ctx, r, Answered, textUnknown)
	}
	admin := d.Authority.RoomAdmin(ctx, r.Sender, r.Room, c.Snapshot)
	c.Args, c.RoomAdmin = line.Args, admin == tool.Yes
	changes := command.changes(c.Args)
	switch {
	case command.Who == GlobalUsers && !d.Authority.Global(r.Sender, c.Snapshot):
		return d.end(ctx, r, Answered, textAdmins)
	case command.Who == RoomAdmins && admin == tool.No:
		return d.end(ctx, r, Answered, textRoomAdmins)
	case command.Who == RoomAdmins && admin == tool.CannotTell:
		return errLater
	case changes && r.Spoken:
		return d.end(ctx, r, Answered, textSpoken)
	}
	if changes {
		if err := d.DB.Write(ctx, func(tx *store.Tx) error { return d.move(tx, r, Begun) }); err != nil {
			return err
		}
		r.state = Begun
		step.Reached(step.CommandBegun)
	}
	text, err := d.run(ctx, command, c)
	if changes {
		step.Reached(step.CommandDone)
	}
	if err != nil && ctx.Err() != nil {
		return err // begun or not: the next start says so, or tries again
	}
	if err != nil {
		d.Log.Error("a command failed", "command", command.Name, "event", r.EventID, "err", err)
		text = textFailed
	}
	if err = d.end(ctx, r, Answered, text); err == nil {
		step.Reached(step.CommandEnded)
	}
	return err
}

// run is Run, with a panic as an error: what began has to come to its end.
func (d *Desk) run(ctx context.Context, command Command, c Call) (text string, err error) {
	err = lifecycle.Call(func() (err error) {
		text, err = command.Run(ctx, c)
		return err
	})
	return text, err
}

// end writes the end of a command and its answer, if it has one.
func (d *Desk) end(ctx context.Context, r row, state State, text string) error {
	plain := text != "" && d.Residents.plain(ctx, r.Room, d.Config.Current())
	// What was done is told, whoever stops the process now.
	return d.DB.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		if err := d.move(tx, r, state); err != nil || text == "" {
			return err
		}
		_, err := d.Outbox.Enqueue(tx, answer(r, text, plain))
		return err
	})
}

// takeUp ends what the last process began and did not end. What it left accepted
// is worked on as if nothing had happened.
func (d *Desk) takeUp(ctx context.Context) error {
	var left []row
	err := d.DB.Read(ctx, func(q *store.Reader) (err error) {
		left, err = open(q, Begun)
		return err
	})
	for _, r := range left {
		if err == nil {
			err = d.end(ctx, r, Uncertain, textUncertain)
		}
	}
	return err
}
