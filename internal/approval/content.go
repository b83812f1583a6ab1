package approval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mindroom/internal/message"
)

// EventType is the type of a card's event and its msgtype (spec/runtime.md 5.5.1).
const EventType = message.TypeApproval

// KeyCard marks the readable message beside a card with the card's id, so that
// a client which shows cards can leave it out.
const KeyCard = "io.mindroom.tool_approval_card"

// program is the value of message.KeyProgram for everything that is said about
// cards.
const program = "approval"

const (
	// previewBytes bounds "arguments" of a card.
	previewBytes = 1200
	// inlineBytes bounds what a card carries of the arguments itself. A card is at
	// most this, its preview and 2 KiB, which fits an event once it is encrypted.
	inlineBytes = 28_000
	// wholeBytes bounds what is shown of arguments at all (spec/runtime.md 5.5.1).
	wholeBytes = 2_000_000
	// reasonBytes bounds what a person said.
	reasonBytes = 2000
)

// titles are what a card says of its state.
var titles = map[State]string{
	Pending: "🔒 Approval required", Approved: "Approved", Denied: "Denied", Expired: "Expired", Withdrawn: "Withdrawn",
}

// published is the state as cards of this event type know it: a withdrawn
// question is closed without approval (S19).
func (s State) published() string {
	if s == Withdrawn {
		return string(Denied)
	}
	return string(s)
}

// event is the card's own content in its present state.
func (c Card) event() message.Content {
	preview, complete := message.Arguments(c.Arguments, nil, previewBytes)
	content := message.Content{
		"msgtype": EventType, "body": titles[c.State] + ": " + c.Name.Function,
		"tool_name": c.Name.Function, "toolkit_name": c.Name.Toolkit, "arguments": preview, "arguments_truncated": !complete || !c.Approvable || !c.File.Zero(),
		"status": c.State.published(), "approval_id": c.ID, "approver_user_id": c.Requester, "requester_id": c.Requester,
		"requested_at": instant(c.Requested), "expires_at": instant(c.Expires), "agent_name": c.Agent, "thread_id": nil,
	}
	if c.ThreadRoot != "" {
		content["thread_id"] = c.ThreadRoot
	}
	switch {
	case !c.Approvable:
		content["approvable"] = false
	case !c.File.Zero() && !c.State.Terminal():
		// Whoever uploads it adds where it is.
		content["full_arguments_info"] = map[string]any{"name": c.File.Name, "mimetype": c.File.MIME, "size": c.File.Size}
	case !complete && c.File.Zero():
		content["full_arguments"] = c.Arguments
	}
	c.target(content)
	if c.State.Terminal() {
		content["resolved_at"], content["resolution_reason"] = instant(c.Decided), c.Reason
		if c.By != "" {
			content["resolved_by"] = c.By
		}
	}
	return content
}

// target links the card to what waits for it.
func (c Card) target(content message.Content) {
	content["tool_call_id"] = c.Ref.ID
	if c.Ref.Door == "script" {
		content["approval_target"], content["background_run_id"], content["background_call_id"] = "background_script", c.Ref.Owner, c.Ref.ID
		return
	}
	content["continuation_id"] = c.Ref.Owner
}

// options are what every message about a card carries: it is the program's own
// word, which no agent takes for part of its conversation.
func (c Card) options() []message.Option {
	return []message.Option{message.With(KeyCard, c.ID), message.With(message.KeySkipMentions, true), message.With(message.KeyProgram, program)}
}

// readable is the message for people whose client shows no cards. It mentions
// the requester while a decision is wanted.
func (c Card) readable() message.Content {
	options := c.options()
	var b strings.Builder
	fmt.Fprintf(&b, "**%s: `%s`**\n\n", titles[c.State], c.Name)
	if c.State.Terminal() {
		b.WriteString(c.ending())
		return message.Text(b.String(), options...)
	}
	fmt.Fprintf(&b, "%s wants to make this call for %s", c.Agent, c.Requester)
	if c.Ref.Door == "script" {
		fmt.Fprintf(&b, ", from the background script %s", c.Ref.Owner)
	}
	shown := c.Arguments
	if !c.File.Zero() {
		shown, _ = message.Arguments(shown, nil, previewBytes)
	}
	b.WriteString(".\n\n```json\n" + pretty(shown) + "\n```\n\n")
	if c.Approvable {
		if !c.File.Zero() {
			fmt.Fprintf(&b, "This is the beginning; all of it is in the file %s, just above. ", c.File.Name)
		}
		b.WriteString("React with ✅ to approve, or reply to this message to deny: your words are the reason.")
	} else {
		b.WriteString("Its arguments cannot be shown whole, so it cannot be approved. Reply to this message to deny it.")
	}
	fmt.Fprintf(&b, " Only %s can decide, until %s.", c.Requester, c.Expires.UTC().Format("2 January 2006, 15:04 MST"))
	return message.Text(b.String(), append(options, message.Mention(c.Requester))...)
}

// ending says how the question ended.
func (c Card) ending() string {
	switch {
	case c.State == Approved:
		return "By " + c.By + "."
	case c.State == Denied && c.Reason == "":
		return "By " + c.By + ". The call was not made."
	case c.State == Denied:
		return "By " + c.By + ": " + c.Reason + "\n\nThe call was not made."
	}
	return "The call was not made: " + c.Reason + "."
}

// pretty is JSON as people read it. A fence inside a value must not end the
// block around it.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return strings.ReplaceAll(b.String(), "```", "'''")
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }
