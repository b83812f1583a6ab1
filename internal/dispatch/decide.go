package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/identity"
	"mindroom/internal/message"
	"mindroom/internal/tool"
)

// ChainCap is how many self-triggers may follow one another from a person's
// message where an Input does not say; the next one gets a note instead of a turn.
const ChainCap = 8

// Action is what becomes of a message.
type Action string

// The actions. Defer leaves the row new; Note posts Decision.Note and starts
// nothing; Take gives the message to whoever claimed it, and starts nothing.
const (
	Ignore Action = "ignore"
	Answer Action = "answer"
	Defer  Action = "defer"
	Note   Action = "note"
	Take   Action = "take"
)

// Reason is the stable code of the rule that decided.
type Reason string

// The reasons.
const (
	ReasonNotLive       Reason = "not_live"
	ReasonNoText        Reason = "no_text"
	ReasonEdit          Reason = "edit"
	ReasonEmpty         Reason = "empty"
	ReasonCommand       Reason = "command"
	ReasonOwn           Reason = "own_account"
	ReasonChain         Reason = "chain_cap"
	ReasonRelay         Reason = "trusted_relay"
	ReasonMentioned     Reason = "mentioned"
	ReasonOthers        Reason = "somebody_else_mentioned"
	ReasonBot           Reason = "bot_account"
	ReasonSeveralPeople Reason = "several_people"
	ReasonSeveralAgents Reason = "several_agents"
	ReasonOtherAgent    Reason = "other_agent"
	ReasonSticky        Reason = "only_agent_of_thread"
	ReasonAlone         Reason = "only_agent_of_room"
	ReasonNoAccess      Reason = "no_access"
	ReasonCannotTell    Reason = "cannot_tell"
	ReasonNoAgent       Reason = "no_agent"
	ReasonFault         Reason = "fault"
	ReasonReaction      Reason = "reaction"
	ReasonReply         Reason = "reply"
	ReasonSignal        Reason = "signal"
	ReasonWords         Reason = "words"
)

// Input is everything a decision looks at.
type Input struct {
	// Agent is the configured name of the agent that asks; UserID its account.
	Agent, UserID string
	// Type, Sender, Live and Content are of the event.
	Type    string
	Sender  string
	Live    bool
	Content Content
	// Mentions are the Matrix ids the message mentions (see Mentions).
	Mentions []string
	// Own tells our accounts; nil means none is ours.
	Own func(userID string) bool
	// Bots are bot_accounts: programs of others, which count as nobody.
	Bots []string
	// Thread is what is known of the thread the message is in; nil outside one.
	Thread *Thread
	// Candidates are the agents of this room in any order, each with whether it
	// may answer this requester here. It holds Agent.
	Candidates []Candidate
	// ChainCap bounds self-triggers in a row (defaults.max_self_triggers); 0 is the
	// constant of that name.
	ChainCap int
}

// Thread is who wrote in a thread before this message.
type Thread struct {
	// Agents are configured names, People Matrix ids of everybody else.
	Agents, People []string
}

// Candidate is an agent that could answer, and whether it may.
type Candidate struct {
	Agent string
	May   tool.Answer
}

// Decision is the answer for one agent and one message.
type Decision struct {
	Action Action
	Reason Reason
	// Requester is on whose behalf the agent acts; set with Answer.
	Requester string
	// Depth is the number of self-triggers that led here; 0 for a person.
	Depth int
	// Note is the text to post with Note.
	Note string
}

// Decide applies the rules of the package to one message.
func Decide(in Input) Decision {
	if d, done := Screen(in); done {
		return d
	}
	if in.owns(in.Sender) {
		return in.relay()
	}
	d := in.chosen()
	if d.Action == Answer {
		d = in.admitted(d)
	}
	return d
}

// Screen applies the rules that need nothing but the message and our accounts,
// so that the rest need not be gathered for what no agent answers. A command is
// no agent's; the pump gives it to Commands.
func Screen(in Input) (Decision, bool) {
	switch {
	case !in.Live:
		return ignore(ReasonNotLive), true
	case in.Type != "m.room.message" || in.Content.MsgType != "m.text" && !in.Content.File:
		return ignore(ReasonNoText), true
	case in.Content.Edit:
		return ignore(ReasonEdit), true
	case in.owns(in.Sender):
		if !in.relays() {
			return ignore(ReasonOwn), true
		}
		return Decision{}, false
	case strings.TrimSpace(in.Content.Body) == "" && !in.Content.File:
		return ignore(ReasonEmpty), true
	}
	if _, command := in.Content.Command(); command {
		return ignore(ReasonCommand), true
	}
	return Decision{}, false
}

// Requester is on whose behalf the message speaks: its sender, or the person a
// trusted relay names.
func (in Input) Requester() string {
	if in.owns(in.Sender) && in.relays() {
		return in.Content.OriginalSender
	}
	return in.Sender
}

// relays holds the first invariant of the package (S41, S43).
func (in Input) relays() bool {
	return in.Content.SourceKind == message.SourceRelay && !in.Content.SkipMentions &&
		identity.IsHuman(in.Content.OriginalSender, in.Own) && slices.Contains(in.Content.MentionIDs, in.UserID)
}

func (in Input) relay() Decision {
	// A relay without a depth was made by an older build: it is one step at least.
	depth := max(in.Content.Depth, 1)
	d := in.admitted(Decision{Action: Answer, Reason: ReasonRelay, Requester: in.Content.OriginalSender, Depth: depth})
	most := in.ChainCap
	if most == 0 {
		most = ChainCap
	}
	if d.Action == Answer && depth > most {
		return Decision{Action: Note, Reason: ReasonChain, Depth: depth, Note: fmt.Sprintf(
			"This message was not answered: agents have triggered one another %d times in a row. Send a message yourself to go on.", most)}
	}
	return d
}

// chosen says whether the agent is meant, leaving aside whether it may.
func (in Input) chosen() Decision {
	answer := func(r Reason) Decision { return Decision{Action: Answer, Reason: r, Requester: in.Sender} }
	switch {
	case slices.Contains(in.Mentions, in.UserID):
		return answer(ReasonMentioned)
	case len(in.Mentions) > 0:
		return ignore(ReasonOthers)
	case slices.Contains(in.Bots, in.Sender):
		// Two programs that answer everything would never stop.
		return ignore(ReasonBot)
	}
	if in.Thread != nil {
		if len(in.people()) > 1 {
			return ignore(ReasonSeveralPeople)
		}
		took, unsure := in.eligible(func(agent string) bool { return slices.Contains(in.Thread.Agents, agent) })
		switch {
		case unsure:
			return Decision{Action: Defer, Reason: ReasonCannotTell}
		case len(took) > 1:
			return ignore(ReasonSeveralAgents)
		case len(took) == 1 && took[0] == in.Agent:
			return answer(ReasonSticky)
		case len(took) == 1:
			return ignore(ReasonOtherAgent)
		}
	}
	all, unsure := in.eligible(func(string) bool { return true })
	switch {
	case unsure:
		return Decision{Action: Defer, Reason: ReasonCannotTell}
	case !slices.Contains(all, in.Agent):
		return ignore(ReasonNoAccess)
	case len(all) > 1:
		return ignore(ReasonSeveralAgents)
	}
	return answer(ReasonAlone)
}

// admitted keeps an answer only if the agent may give it.
func (in Input) admitted(d Decision) Decision {
	for _, c := range in.Candidates {
		if c.Agent != in.Agent {
			continue
		}
		switch c.May {
		case tool.Yes:
			return d
		case tool.CannotTell:
			return Decision{Action: Defer, Reason: ReasonCannotTell}
		}
	}
	return ignore(ReasonNoAccess)
}

// eligible are the candidates among those asked for that may answer. It is
// unsure when one of them cannot be told: choosing without it could give two
// answers, or none.
func (in Input) eligible(want func(agent string) bool) (agents []string, unsure bool) {
	for _, c := range in.Candidates {
		if !want(c.Agent) {
			continue
		}
		switch c.May {
		case tool.Yes:
			agents = append(agents, c.Agent)
		case tool.CannotTell:
			unsure = true
		}
	}
	return agents, unsure
}

// people are the persons of the thread, the sender included.
func (in Input) people() []string {
	people := []string{in.Sender}
	for _, id := range in.Thread.People {
		if !slices.Contains(people, id) && !slices.Contains(in.Bots, id) && !in.owns(id) {
			people = append(people, id)
		}
	}
	return people
}

func (in Input) owns(userID string) bool { return in.Own != nil && in.Own(userID) }

func ignore(r Reason) Decision { return Decision{Action: Ignore, Reason: r} }
