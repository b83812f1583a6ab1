package dispatch

import (
	"strings"
	"testing"

	"mindroom/internal/message"
	"mindroom/internal/tool"
)

// people and accounts of the tables.
const (
	watcher, helper = "@mindroom_watcher:x", "@mindroom_helper:x"
	ann, ben, robot = "@ann:x", "@ben:x", "@bridgebot:x"
)

var ours = fakeAccounts{"watcher": watcher, "helper": helper, "router": "@mindroom_router:x"}

type fakeAccounts map[string]string

func (f fakeAccounts) Entity(userID string) (string, bool) {
	for name, id := range f {
		if id == userID {
			return name, true
		}
	}
	return "", false
}
func (f fakeAccounts) UserID(entity string) (string, bool) { id, ok := f[entity]; return id, ok }
func (f fakeAccounts) Names() []string {
	return []string{"helper", "router", "watcher"}
}

// said is a live text of ann's to the agent watcher, alone in the room.
func said(body string, change ...func(*Input)) Input {
	in := Input{
		Agent: "watcher", UserID: watcher, Type: "m.room.message", Sender: ann, Live: true,
		Content: Content{MsgType: "m.text", Body: body}, Bots: []string{robot},
		Own:        func(id string) bool { _, ok := ours.Entity(id); return ok },
		Candidates: []Candidate{{"watcher", tool.Yes}},
	}
	for _, c := range change {
		c(&in)
	}
	in.Mentions = Mentions(in.Content, ours)
	return in
}

func from(sender string) func(*Input)    { return func(in *Input) { in.Sender = sender } }
func may(a tool.Answer) func(*Input)     { return func(in *Input) { in.Candidates[0].May = a } }
func mention(ids ...string) func(*Input) { return func(in *Input) { in.Content.MentionIDs = ids } }
func inThread(agents []string, people ...string) func(*Input) {
	return func(in *Input) { in.Thread = &Thread{Agents: agents, People: people} }
}
func alsoHere(a tool.Answer) func(*Input) {
	return func(in *Input) { in.Candidates = append(in.Candidates, Candidate{"helper", a}) }
}
func relayed(original string, depth int, mentions ...string) func(*Input) {
	return func(in *Input) {
		in.Sender = watcher
		in.Content.OriginalSender, in.Content.SourceKind, in.Content.Depth = original, message.SourceRelay, depth
		in.Content.MentionIDs = mentions
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	set := func(f func(*Content)) func(*Input) { return func(in *Input) { f(&in.Content) } }
	carries := set(func(c *Content) { c.MsgType, c.File = "m.image", true })
	cases := map[string]struct {
		in     Input
		action Action
		reason Reason
	}{
		"alone in the room":             {said("hello"), Answer, ReasonAlone},
		"old messages start nothing":    {said("hello", func(in *Input) { in.Live = false }), Ignore, ReasonNotLive},
		"a notice is never answered":    {said("hello", set(func(c *Content) { c.MsgType = "m.notice" })), Ignore, ReasonNoText},
		"nor is another event":          {said("hello", func(in *Input) { in.Type = "m.reaction" }), Ignore, ReasonNoText},
		"nor an edit":                   {said("hello", set(func(c *Content) { c.Edit = true })), Ignore, ReasonEdit},
		"nor nothing":                   {said(" \n"), Ignore, ReasonEmpty},
		"nor a command":                 {said("!help"), Ignore, ReasonCommand},
		"nor a quoted command":          {said("> <@ann:x> hi\n\n!help"), Ignore, ReasonCommand},
		"a picture without a word":      {said("", carries), Answer, ReasonAlone},
		"a picture with a caption":      {said("what is it?", carries, mention(watcher), alsoHere(tool.Yes)), Answer, ReasonMentioned},
		"a picture for somebody else":   {said("look", carries, mention(ben)), Ignore, ReasonOthers},
		"a picture in a thread of two":  {said("", carries, inThread([]string{"watcher"}, ann, ben)), Ignore, ReasonSeveralPeople},
		"an agent's picture":            {said("", carries, from(helper)), Ignore, ReasonOwn},
		"a picture that came before":    {said("", carries, func(in *Input) { in.Live = false }), Ignore, ReasonNotLive},
		"a captioned command":           {said("!help", carries), Ignore, ReasonCommand},
		"a picture that is none":        {said("", set(func(c *Content) { c.MsgType = "m.image" })), Ignore, ReasonNoText},
		"mentioned":                     {said("hello", mention(watcher), alsoHere(tool.Yes)), Answer, ReasonMentioned},
		"mentioned by its name":         {said("@Watcher: hello", alsoHere(tool.Yes)), Answer, ReasonMentioned},
		"mentioned with others":         {said("hello", mention(ben, watcher)), Answer, ReasonMentioned},
		"another agent mentioned":       {said("hello", mention(helper)), Ignore, ReasonOthers},
		"a person mentioned":            {said("hello", mention(ben)), Ignore, ReasonOthers},
		"mentions skipped":              {said("hello", mention(watcher), alsoHere(tool.Yes), set(func(c *Content) { c.SkipMentions = true })), Ignore, ReasonSeveralAgents},
		"two agents, nobody mentioned":  {said("hello", alsoHere(tool.Yes)), Ignore, ReasonSeveralAgents},
		"the other may not":             {said("hello", alsoHere(tool.No)), Answer, ReasonAlone},
		"the other cannot be told":      {said("hello", alsoHere(tool.CannotTell)), Defer, ReasonCannotTell},
		"only the other may":            {said("hello", may(tool.No), alsoHere(tool.Yes)), Ignore, ReasonNoAccess},
		"mentioned without access":      {said("hello", mention(watcher), may(tool.No)), Ignore, ReasonNoAccess},
		"mentioned, cannot tell":        {said("hello", mention(watcher), may(tool.CannotTell)), Defer, ReasonCannotTell},
		"not among the room's agents":   {said("hello", mention(watcher), func(in *Input) { in.Candidates = nil }), Ignore, ReasonNoAccess},
		"thread: nobody yet":            {said("hello", inThread(nil)), Answer, ReasonAlone},
		"thread: its own":               {said("hello", inThread([]string{"watcher"}, ann), alsoHere(tool.Yes)), Answer, ReasonSticky},
		"thread: another agent's":       {said("hello", inThread([]string{"helper"}, ann), alsoHere(tool.Yes)), Ignore, ReasonOtherAgent},
		"thread: other lost access":     {said("hello", inThread([]string{"helper", "watcher"}, ann), alsoHere(tool.No)), Answer, ReasonSticky},
		"thread: both took part":        {said("hello", inThread([]string{"watcher", "helper"}, ann), alsoHere(tool.Yes)), Ignore, ReasonSeveralAgents},
		"thread: cannot tell who":       {said("hello", inThread([]string{"helper"}, ann), alsoHere(tool.CannotTell)), Defer, ReasonCannotTell},
		"thread: two people":            {said("hello", inThread([]string{"watcher"}, ann, ben)), Ignore, ReasonSeveralPeople},
		"thread: a newcomer":            {said("hello", inThread([]string{"watcher"}, ben)), Ignore, ReasonSeveralPeople},
		"thread: two people, mentioned": {said("hello", inThread([]string{"watcher"}, ann, ben), mention(watcher)), Answer, ReasonMentioned},
		"thread: a bot is nobody":       {said("hello", inThread([]string{"watcher"}, ann, robot)), Answer, ReasonSticky},
		"a bot account":                 {said("hello", from(robot)), Ignore, ReasonBot},
		"a bot account that mentions":   {said("hello", from(robot), mention(watcher)), Answer, ReasonMentioned},
		"its own answer":                {said("hello", from(watcher)), Ignore, ReasonOwn},
		"its own answer, mentioning":    {said("hello", from(watcher), mention(watcher)), Ignore, ReasonOwn},
		"another agent's answer":        {said("hello", from(helper), mention(watcher)), Ignore, ReasonOwn},
		"the router's":                  {said("hello", from("@mindroom_router:x"), mention(watcher)), Ignore, ReasonOwn},
		"a relay to itself":             {said("hello", relayed(ann, 1, watcher)), Answer, ReasonRelay},
		"a relay beside other agents":   {said("hello", relayed(ann, 1, watcher), alsoHere(tool.Yes)), Answer, ReasonRelay},
		"a relay to another":            {said("hello", relayed(ann, 1, helper)), Ignore, ReasonOwn},
		"a relay to nobody":             {said("hello", relayed(ann, 1)), Ignore, ReasonOwn},
		"a relay named in text only":    {said("@watcher hello", relayed(ann, 1)), Ignore, ReasonOwn},
		"a relay for an agent":          {said("hello", relayed(helper, 1, watcher)), Ignore, ReasonOwn},
		"a relay for nobody":            {said("hello", relayed("", 1, watcher)), Ignore, ReasonOwn},
		"a relay that skips":            {said("hello", relayed(ann, 1, watcher), set(func(c *Content) { c.SkipMentions = true })), Ignore, ReasonOwn},
		"a relay of another kind":       {said("hello", relayed(ann, 1, watcher), set(func(c *Content) { c.SourceKind = message.SourceMessage })), Ignore, ReasonOwn},
		"a relay without access":        {said("hello", relayed(ann, 1, watcher), may(tool.No)), Ignore, ReasonNoAccess},
		"a relay that cannot be told":   {said("hello", relayed(ann, 1, watcher), may(tool.CannotTell)), Defer, ReasonCannotTell},
		"a relay at the cap":            {said("hello", relayed(ann, ChainCap, watcher)), Answer, ReasonRelay},
		"a relay over the cap":          {said("hello", relayed(ann, ChainCap+1, watcher)), Note, ReasonChain},
		"a stranger claims a relay":     {said("hello", relayed(ben, 1, watcher), from(ann)), Answer, ReasonMentioned},
		"an empty relay is one":         {said("", relayed(ann, 1, watcher)), Answer, ReasonRelay},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Decide(c.in)
			if got.Action != c.action || got.Reason != c.reason {
				t.Fatalf("decided %s because %s, want %s because %s", got.Action, got.Reason, c.action, c.reason)
			}
			if (got.Note != "") != (got.Action == Note) || (got.Requester != "") != (got.Action == Answer) {
				t.Errorf("an incomplete decision: %+v", got)
			}
		})
	}
}

// Sentence 1: the requester is the person behind a relay, and only behind one.
func TestDecideOnWhoseBehalf(t *testing.T) {
	t.Parallel()
	if d := Decide(said("hello", relayed(ben, 3, watcher))); d.Requester != ben || d.Depth != 3 {
		t.Errorf("a relay of %s at depth 3 gave %+v", ben, d)
	}
	if d := Decide(said("hello", relayed(ben, 0, watcher))); d.Depth != 1 {
		t.Errorf("a relay without a depth gave %+v", d)
	}
	if d := Decide(said("hello", relayed(ben, 7, watcher), from(ann))); d.Requester != ann || d.Depth != 0 {
		t.Errorf("a stranger's claim was believed: %+v", d)
	}
	capped := func(most, depth int) Decision {
		in := said("hello", relayed(ann, depth, watcher))
		in.ChainCap = most
		return Decide(in)
	}
	if d := capped(2, 2); d.Action != Answer {
		t.Errorf("at a cap of 2: %+v", d)
	}
	if d := capped(2, 3); d.Action != Note || !strings.Contains(d.Note, "2 times in a row") {
		t.Errorf("over a cap of 2: %+v", d)
	}
	if d := capped(20, ChainCap+1); d.Action != Answer {
		t.Errorf("under a cap of 20: %+v", d)
	}
	if d := Decide(said("hello", relayed(ann, ChainCap+1, watcher))); !strings.Contains(d.Note, "Send a message yourself") {
		t.Errorf("the note does not say what to do: %q", d.Note)
	}
}

// One message, decided by every agent of the room, is answered at most once
// unless several are mentioned.
func TestAtMostOneAgentAnswers(t *testing.T) {
	t.Parallel()
	for _, thread := range []*Thread{nil, {}, {Agents: []string{"helper"}, People: []string{ann}}, {Agents: []string{"helper", "watcher"}}} {
		answers := 0
		for _, agent := range []string{"watcher", "helper"} {
			in := said("hello", alsoHere(tool.Yes))
			in.Agent, in.UserID, in.Thread = agent, ours[agent], thread
			if Decide(in).Action == Answer {
				answers++
			}
		}
		if answers > 1 {
			t.Errorf("thread %+v: %d answers", thread, answers)
		}
	}
}
