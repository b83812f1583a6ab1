package dispatch

import (
	"context"
	"errors"
	"slices"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

const (
	// threadEntries is how much of a thread is looked at for who took part.
	threadEntries = chat.Kept
	// replyHops bounds the way from a reply to the thread it belongs to.
	replyHops = 16
)

// verdict is a decision with what carrying it out needs.
type verdict struct {
	decision Decision
	// named is the thread the message is in, root the one the answer goes to;
	// empty for none.
	named, root string
	requester   string       // canonical
	joined      []chat.Event // files that are answered with the message, oldest first
	account     string       // who carries out a Take of a message by itself
	// do carries out a Take in the transaction that takes the row; nil is nothing.
	do func(tx *store.Tx) error
}

// judge gathers what a decision needs and decides. A message on which this
// program fails inside is ignored: left new, it would stop its room for ever.
func (p *Pump) judge(ctx context.Context, a Account, e chat.Event) (v verdict, err error) {
	err = lifecycle.Call(func() (err error) {
		if v, err = p.decide(ctx, a, e); err == nil {
			v, err = p.sinceBackup(ctx, e, v)
		}
		return err
	})
	var fell *lifecycle.PanicError
	if errors.As(err, &fell) {
		p.log().Error("a message could not be judged and is ignored", "event", e.EventID, "panic", fell.Value, "stack", string(fell.Stack))
		return verdict{decision: ignore(ReasonFault)}, nil
	}
	return v, err
}

func (p *Pump) decide(ctx context.Context, a Account, e chat.Event) (verdict, error) {
	snap := p.Config.Current()
	if e.Type == "m.reaction" {
		return p.reaction(ctx, a, e, snap)
	}
	if taker, ok := p.Signals[e.Type]; ok {
		return p.signal(ctx, a, e, taker, snap)
	}
	in := Input{
		Agent: a.Agent, UserID: a.UserID, Type: e.Type, Sender: e.Sender, Live: e.Live, Content: ParseContent(e.Content),
		Own: p.owns, Bots: snap.Config.BotAccounts,
		ChainCap: snap.Config.Defaults.MaxSelfTriggers,
	}
	if d, done := Screen(in); done {
		if d.Reason == ReasonCommand {
			return p.command(ctx, a, e, in.Content, snap)
		}
		return verdict{decision: d}, nil
	}
	if v, claimed, err := p.reply(ctx, a, e, in.Content, snap); claimed || err != nil {
		return v, err
	}
	agent := snap.Config.Agents[a.Agent]
	if agent == nil {
		return verdict{decision: ignore(ReasonNoAgent)}, nil
	}
	in.Mentions = Mentions(in.Content, p.Accounts)
	named, err := p.thread(ctx, e, in.Content)
	if err != nil {
		return verdict{}, err
	}
	if v, claimed, err := p.words(ctx, a, e, in.Content, named, snap); claimed || err != nil {
		return v, err
	}
	v := verdict{named: named, root: named, requester: snap.Config.Authorization.Canonical(in.Requester())}
	if v.root == "" && p.mode(agent, e.Room) == config.ModeThread {
		v.root = e.EventID
	}
	if named != "" {
		if in.Thread, err = p.took(ctx, e, named); err != nil {
			return verdict{}, err
		}
	}
	in.Candidates = p.candidates(ctx, a, e, in.Requester(), snap)
	v.decision = Decide(in)
	return v, nil
}

// mode is where an agent answers what is said in a room outside of threads. What
// is said in a thread is answered there in either mode (spec/runtime.md 3.8).
func (p *Pump) mode(agent *config.Agent, room string) config.ThreadMode {
	if p.Mode != nil {
		return p.Mode(agent, room)
	}
	return agent.ThreadModeIn(p.Rooms.RoomNames(room)...)
}

func (p *Pump) owns(userID string) bool {
	_, ours := p.Accounts.Entity(userID)
	return ours
}

// thread is the root of the thread a message belongs to. A reply made by a
// client without threads belongs to the thread of what it answers.
func (p *Pump) thread(ctx context.Context, e chat.Event, c Content) (string, error) {
	root, target := c.ThreadRoot, c.ReplyTo
	for hop := 0; root == "" && target != "" && hop < replyHops; hop++ {
		var answered chat.Event
		var found bool
		err := p.DB.Read(ctx, func(r *store.Reader) (err error) {
			answered, found, err = p.Journal.Find(r, e.Account, target)
			return err
		})
		if err != nil {
			return "", err
		}
		if !found || answered.Room != e.Room {
			return "", nil
		}
		relations := chat.ParseRelations(answered.Content)
		if relations.ThreadRoot != "" {
			return relations.ThreadRoot, nil
		}
		inside, err := p.Journal.History(ctx, chat.Conversation{Account: e.Account, Room: e.Room, ThreadRoot: target}, 2)
		if err != nil {
			return "", err
		}
		if len(inside) > 1 {
			return target, nil // it began a thread
		}
		target = relations.InReplyTo
	}
	return root, nil
}

// took lists who wrote in a thread before a message. Who only spoke to the
// program itself, or answered for it, took no part in the conversation.
func (p *Pump) took(ctx context.Context, e chat.Event, root string) (*Thread, error) {
	messages, err := p.Journal.History(ctx, chat.Conversation{Account: e.Account, Room: e.Room, ThreadRoot: root}, threadEntries)
	if err != nil {
		return nil, err
	}
	t := &Thread{}
	for _, m := range messages {
		if m.Seq >= e.Seq {
			continue
		}
		name, ours := p.Accounts.Entity(m.Sender)
		c := ParseContent(m.Content)
		_, command := c.Command()
		switch {
		case ours && c.Program, !ours && command:
		case ours && !slices.Contains(t.Agents, name):
			t.Agents = append(t.Agents, name)
		case !ours && !slices.Contains(t.People, m.Sender):
			t.People = append(t.People, m.Sender)
		}
	}
	return t, nil
}

// candidates are the agents of a room, each with whether it may answer this
// person there. The asking agent heard the message and so is one.
func (p *Pump) candidates(ctx context.Context, a Account, e chat.Event, requester string, snap *config.Snapshot) []Candidate {
	var all []Candidate
	for _, agent := range snap.Config.AgentNames() {
		user, ok := p.Accounts.UserID(agent)
		if !ok {
			continue
		}
		joined := tool.Yes
		if agent != a.Agent {
			joined = p.Rooms.Joined(ctx, e.Room, user)
		}
		if joined == tool.No {
			continue
		}
		may := p.Authority.May(ctx, identity.InThread(agent, requester, e.Room, ""), snap)
		if joined == tool.CannotTell && may == tool.Yes {
			may = tool.CannotTell
		}
		all = append(all, Candidate{Agent: agent, May: may})
	}
	return all
}

// carryOut takes the row and does what was decided, in one transaction.
func (p *Pump) carryOut(tx *store.Tx, a Account, e chat.Event, v verdict) error {
	first, err := p.Journal.Mark(tx, e.Seq, chat.EventTaken)
	if err != nil || !first {
		return err
	}
	switch v.decision.Action {
	case Take:
		if v.do == nil {
			return nil
		}
		return v.do(tx)
	case Note:
		_, err := p.Outbox.Enqueue(tx, chat.Delivery{
			ID: "note:" + a.Name + ":" + e.EventID, Conversation: chat.Conversation{Account: a.Name, Room: e.Room, ThreadRoot: v.root},
			Kind: chat.KindMessage, Type: "m.room.message",
			Content: message.Text(v.decision.Note, message.Notice(), message.With(message.KeySkipMentions, true)).Raw(),
		})
		return err
	}
	for _, file := range v.joined {
		if _, err := p.Journal.Mark(tx, file.Seq, chat.EventTaken); err != nil {
			return err
		}
	}
	who := identity.InThread(a.Agent, v.requester, e.Room, v.root)
	who.Thread = v.named
	return p.Turns.Create(tx, Request{
		Agent: a.Agent, Account: a.Name, Who: who, Room: e.Room, ThreadRoot: v.root, TriggerEvent: e.EventID,
		Joined: joinedIDs(v.joined), Depth: v.decision.Depth,
	})
}
