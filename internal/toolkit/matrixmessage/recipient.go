package matrixmessage

import (
	"context"
	"strings"
	"unicode"

	"mindroom/internal/identity"
	"mindroom/internal/message"
	"mindroom/internal/tool"
)

// recipient finds the account of the agent a message is for, if that agent may
// answer the requester there (S41, S43).
func (t *toolkit) recipient(ctx context.Context, in tool.Invocation, p place, name string) (Account, *tool.Fault) {
	if !identity.IsHuman(in.Who.Requester, t.Accounts.Own) {
		return Account{}, tool.Faultf(tool.FaultUnauthorised,
			"a message that starts a turn needs a person as requester, and this call has none; send it without recipient")
	}
	account, ready := t.Accounts.Account(name)
	if _, configured := in.Snapshot.Config.Agents[name]; !configured {
		return Account{}, unavailable(name)
	}
	if !ready {
		return Account{}, laterf("the Matrix account of %s is not ready yet; try again shortly", name)
	}
	asked := in.Who
	asked.Agent, asked.Room, asked.Transport = name, p.room, name
	asked.Thread, asked.ResolvedThread, asked.Session = p.thread, p.thread, identity.SessionID(p.room, p.thread)
	switch all(t.Rooms.Joined(ctx, p.room, account.UserID), t.Authority.May(ctx, asked, in.Snapshot)) {
	case tool.Yes:
		return account, nil
	case tool.No:
		return Account{}, unavailable(name)
	}
	return Account{}, laterf("it cannot be told right now whether %s may answer in that room; try again shortly", name)
}

// unavailable refuses a recipient, whatever the reason.
func unavailable(name string) *tool.Fault {
	return tool.Faultf(tool.FaultTool, "there is no agent or team %.64q that is in that room and may answer the requester; use its configured name", name)
}

// relay are the options that make a message start the recipient's turn on the
// requester's behalf, and its text, which shows whom it is for.
func relay(in tool.Invocation, name string, to Account, text string) (string, []message.Option) {
	known := func(n string) (string, bool) { return to.UserID, n == name }
	return addressed(name, text), []message.Option{
		message.Requester(in.Who.Requester, message.SourceRelay),
		message.With(message.KeyDepth, in.Depth+1),
		message.Mention(to.UserID),
		message.Names(known),
	}
}

// addressed puts a name in front of a text: in the same line where that is
// prose, otherwise above it, so that the text's own Markdown keeps its meaning.
func addressed(name, text string) string {
	text = strings.TrimSpace(text)
	if rest, found := strings.CutPrefix(text, "@"+name); found && (rest == "" || strings.ContainsAny(rest[:1], " \n,:")) {
		return text
	}
	if first := []rune(text)[0]; strings.Contains(text, "\n") || !unicode.IsLetter(first) {
		return "@" + name + "\n\n" + text
	}
	return "@" + name + " " + text
}
