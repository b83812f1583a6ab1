package runtime

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"mindroom/internal/approval"
	"mindroom/internal/authz"
	"mindroom/internal/chat"
	"mindroom/internal/command"
	"mindroom/internal/dispatch"
	"mindroom/internal/matrix"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

// levers are what commands move.
type levers struct {
	residents command.Residents
	stopper   command.Stopper
	keys      func(ctx context.Context, room string) (command.RoomKeys, error)
	modes     command.AgentModes
}

// registry holds every command of this build; adding one is one line.
func (l levers) registry() (*command.Registry, error) {
	return command.NewRegistry(
		command.Help(),
		command.Hello(l.residents),
		l.stopper.Command(),
		command.ThreadMode(l.residents),
		l.modes.Command(),
		command.Encryption(l.keys),
	)
}

// Commands is the registry for its own description: its commands move nothing.
func Commands() (*command.Registry, error) { return levers{}.registry() }

// buildDesk makes what works on commands, and lets dispatch bring them, and what
// people do to our messages, to it.
func (p *primary) buildDesk(ctx context.Context, known accounts) error {
	modes, err := command.OpenModes(ctx, p.db, p.wall)
	if err != nil {
		return err
	}
	p.residents = command.Residents{Authority: p.authority, UserID: known.UserID, Modes: modes}
	stopper := command.Stopper{DB: p.db, Responses: responses{p.turns}, Authority: p.authority, Config: p.holder, Button: turn.StopKey}
	agentModes := command.AgentModes{
		Residents: p.residents, DB: p.db, Choices: mode.Choices{Wall: p.wall}, Surface: p.registry.Surface, Deployment: p.deployment,
	}
	registry, err := levers{residents: p.residents, stopper: stopper, keys: p.roomKeys, modes: agentModes}.registry()
	if err != nil {
		return err
	}
	p.desk = command.NewDesk(command.Parts{
		DB: p.db, Outbox: p.outbox, Config: p.holder, Registry: registry, Residents: p.residents, Authority: p.authority,
		Router: matrix.RouterKey, Wall: p.wall, Log: p.log,
	})
	p.dispatch.Router, p.dispatch.Commands, p.dispatch.Mode = matrix.RouterKey, desk{p.desk}, p.residents.Mode
	// In the order in which they are asked; adding one is one line.
	p.dispatch.Reactions = []dispatch.Taker{cardTaker(p.cards), stopButton(stopper), choiceTaker(p.choices)}
	p.dispatch.Replies = []dispatch.Taker{cardTaker(p.cards), choiceTaker(p.choices)}
	p.dispatch.Words = []dispatch.Taker{choiceTaker(p.choices)}
	p.dispatch.Signals = map[string]dispatch.Taker{approval.ResponseType: responseTaker(p.cards)}
	return nil
}

// greet welcomes the managed rooms that nothing was said in yet.
func (p *primary) greet(rooms map[string]string) func(context.Context) error {
	w := command.Welcome{DB: p.db, Outbox: p.outbox, Residents: p.residents, Config: p.holder, Quiet: p.network.Quiet, Stamp: p.wall.Stamp}
	return func(ctx context.Context) error {
		router := p.network.Account(matrix.RouterKey).UserID
		for _, key := range slices.Sorted(maps.Keys(rooms)) {
			if !(matrix.RoomPlan{Key: key}).Managed() {
				continue
			}
			if err := w.Greet(ctx, router, key, rooms[key]); err != nil && ctx.Err() == nil {
				p.log.Warn("a room is not welcomed; the next start looks again", "room", key, "error", err)
			}
		}
		return nil
	}
}

// desk lets dispatch record commands; the two packages do not know each other.
type desk struct{ *command.Desk }

// Accept records a command.
func (d desk) Accept(tx *store.Tx, c dispatch.Command) error {
	return d.Desk.Accept(tx, command.Request(c))
}

// stopButton offers reactions to the stopper.
func stopButton(s command.Stopper) dispatch.Taker {
	return func(ctx context.Context, t dispatch.Touch) (dispatch.Taking, error) {
		claimed, later, do, err := s.Pressed(ctx, t.Event.Room, t.Event.Sender, t.Key, t.Message.ID)
		return dispatch.Taking{Claimed: claimed, Later: later, Do: do}, err
	}
}

// responses lets commands stop turns.
type responses struct{ engine *turn.Engine }

var _ command.Responses = responses{}

// Live lists the turns of a room or thread that have not ended.
func (responses) Live(q store.Queryer, room, thread string) ([]command.Response, error) {
	turns, err := turn.Live(q, room, thread)
	var all []command.Response
	for _, t := range turns {
		all = append(all, response(t))
	}
	return all, err
}

// Shown finds the turn whose answer a delivery is.
func (responses) Shown(q store.Queryer, delivery string) (r command.Response, live, ok bool, err error) {
	id, ok := turn.OfDelivery(delivery)
	if !ok {
		return command.Response{}, false, false, nil
	}
	t, ok, err := turn.Read(q, id)
	return response(t), ok && !t.State.Terminal(), ok, err
}

// Cancel ends a turn.
func (r responses) Cancel(tx *store.Tx, id, by string) (bool, error) {
	return r.engine.CancelIn(tx, id, by)
}

func response(t turn.Turn) command.Response {
	return command.Response{Turn: t.ID, Agent: t.Agent, Requester: t.Who.Requester}
}

// roomKeys is how it stands with the encryption of a room.
func (p *primary) roomKeys(ctx context.Context, room string) (command.RoomKeys, error) {
	info, known := p.network.Room(room)
	k := command.RoomKeys{Known: known, Encrypted: info.Encrypted}
	var held map[string]int
	err := p.db.Read(ctx, func(q *store.Reader) (err error) {
		held, err = chat.HeldIn(q, room)
		return err
	})
	if err != nil {
		return k, fmt.Errorf("encryption of %s: %w", room, err)
	}
	for _, key := range slices.Sorted(maps.Keys(p.network.Accounts())) {
		a := p.network.Account(key)
		if p.members.Joined(ctx, room, a.UserID) != tool.Yes {
			continue
		}
		has, shown := a.Keys()
		k.Accounts = append(k.Accounts, command.AccountKeys{Entity: key, DeviceID: a.DeviceID, Encrypts: has, Shown: shown, Held: held[a.UserID]})
	}
	return k, nil
}

var _ authz.Powers = (*membership)(nil)

// Governs says whether a user may change the power levels of a room now.
func (m *membership) Governs(_ context.Context, room, user string) tool.Answer {
	switch may, ok := m.network.Governs(room, user); {
	case !ok:
		return tool.CannotTell
	case may:
		return tool.Yes
	}
	return tool.No
}
