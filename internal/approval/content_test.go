package approval

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// sized are arguments of about n bytes.
func sized(n int) map[string]any { return map[string]any{"text": strings.Repeat("abcdefghi ", n/10)} }

// What a card says in each state, by its keys (spec/runtime.md 5.5.1).
func TestCardContent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct {
		name       string
		ref        tool.Ref
		args       any
		next       State
		has, lacks []string
		says       map[string]any
	}{
		{"a turn's, small", turnRef("turn-1"), map[string]any{"to": "bob", "password": "hunter2", "note": "it is hunter2"}, Pending,
			[]string{"requested_at", "expires_at"}, []string{"full_arguments", "approvable", "resolved_at", "approval_target", "full_arguments_info"},
			map[string]any{"msgtype": EventType, "body": "🔒 Approval required: act", "tool_name": "act", "toolkit_name": "kit", "status": "pending",
				"arguments_truncated": false, "approval_id": "turn-1-1.1.c", "approver_user_id": ann, "requester_id": ann, "thread_id": "$root",
				"agent_name": "watcher", "continuation_id": "turn-1", "tool_call_id": "1.1.c", "arguments": map[string]any{"to": "bob", "password": "***", "note": "it is ***"}}},
		{"a script's", scriptRef("script-1"), map[string]any{}, Pending, nil, []string{"continuation_id"},
			map[string]any{"approval_id": "script-approval:script-1:call-1", "approval_target": "background_script", "background_run_id": "script-1", "background_call_id": "call-1"}},
		{"over the preview", turnRef("turn-2"), sized(5000), Pending, []string{"full_arguments"}, []string{"approvable", "full_arguments_info"},
			map[string]any{"arguments_truncated": true}},
		{"over a card", turnRef("turn-3"), sized(100_000), Pending, []string{"full_arguments_info"}, []string{"approvable", "full_arguments"},
			map[string]any{"arguments_truncated": true}},
		{"over everything", turnRef("turn-4"), sized(2_100_000), Pending, nil, []string{"full_arguments_info", "full_arguments"},
			map[string]any{"approvable": false, "arguments_truncated": true}},
		{"approved", turnRef("turn-5"), map[string]any{}, Approved, []string{"resolved_at"}, nil,
			map[string]any{"status": "approved", "body": "Approved: act", "resolved_by": ann, "resolution_reason": ""}},
		{"denied", turnRef("turn-6"), map[string]any{}, Denied, []string{"resolved_at"}, nil,
			map[string]any{"status": "denied", "body": "Denied: act", "resolved_by": ann, "resolution_reason": "why"}},
		{"expired", turnRef("turn-7"), sized(100_000), Expired, []string{"resolved_at"}, []string{"resolved_by", "full_arguments_info"},
			map[string]any{"status": "expired", "body": "Expired: act", "resolution_reason": "why"}},
		{"withdrawn", turnRef("turn-8"), map[string]any{}, Withdrawn, []string{"resolved_at"}, []string{"resolved_by"},
			map[string]any{"status": "denied", "body": "Withdrawn: act", "resolution_reason": "why"}},
	} {
		card := d.asks(c.ref, c.args)
		id, of := card.ID, eventDelivery+card.ID
		if c.next != Pending {
			of += endSuffix
			reason := "why"
			if c.next == Approved {
				reason = ""
			}
			if c.next == Withdrawn {
				d.write(func(tx *store.Tx) error { return d.cards.WithdrawCall(tx, c.ref, "why") })
			} else {
				d.decides(id, c.next, reason)
			}
		}
		sent, content, _ := d.delivery(of)
		for _, key := range c.has {
			if content[key] == nil {
				t.Errorf("%s: no %s", c.name, key)
			}
		}
		for _, key := range c.lacks {
			if _, has := content[key]; has {
				t.Errorf("%s: it has %s", c.name, key)
			}
		}
		for key, want := range c.says {
			if diff := cmp.Diff(want, content[key]); diff != "" {
				t.Errorf("%s, %s: %s", c.name, key, diff)
			}
		}
		if preview, _ := json.Marshal(content["arguments"]); len(preview) > previewBytes {
			t.Errorf("%s: a preview of %d bytes", c.name, len(preview))
		}
		if len(sent.Content) > message.MaxContent {
			t.Errorf("%s: a card of %d bytes", c.name, len(sent.Content))
		}
	}
}

// Whoever shows no cards reads the same, can do the same, and is mentioned.
func TestReadable(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	read := func(args any, ref tool.Ref) string {
		card := d.asks(ref, args)
		_, content, _ := d.delivery(textDelivery + card.ID)
		if diff := cmp.Diff(map[string]any{"user_ids": []any{ann}}, content["m.mentions"]); diff != "" {
			t.Error(diff)
		}
		if content[KeyCard] != card.ID {
			t.Errorf("it is not marked as a card's: %v", content[KeyCard])
		}
		body, _ := content["body"].(string)
		return body
	}
	for name, c := range map[string]struct {
		body       string
		has, lacks []string
	}{
		"small":      {read(map[string]any{"x": "a ``` fence"}, turnRef("turn-1")), []string{"`kit.act`", `"x": "a ''' fence"`, "React with ✅", "reply to this message to deny", "Only " + ann}, nil},
		"script":     {read(map[string]any{}, scriptRef("script-1")), []string{"from the background script script-1"}, nil},
		"file":       {read(sized(100_000), turnRef("turn-2")), []string{"all of it is in the file arguments.json, just above", "React with ✅"}, nil},
		"everything": {read(sized(3_000_000), turnRef("turn-3")), []string{"cannot be approved", "Reply to this message to deny"}, []string{"✅"}},
	} {
		for _, words := range c.has {
			if !strings.Contains(c.body, words) {
				t.Errorf("%s: no %q in %.400q", name, words, c.body)
			}
		}
		for _, words := range c.lacks {
			if strings.Contains(c.body, words) {
				t.Errorf("%s: %q in it", name, words)
			}
		}
	}
}

// Arguments that do not fit go as a file, before the message that speaks of it,
// hidden where they are secret.
func TestWholeArguments(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	args := sized(1_900_000)
	args["secret"] = "hunter2"
	args["words"] = "say hunter2"
	card := d.asks(turnRef("turn-1"), args)
	for i, id := range []string{eventDelivery, fileDelivery, textDelivery} {
		got, _, ok := d.delivery(id + card.ID)
		if !ok || got.Seq != int64(i+1) || got.Attach.Zero() != (id == textDelivery) {
			t.Errorf("%s: %v, number %d, %+v", id, ok, got.Seq, got.Attach)
		}
	}
	raw, err := d.media.Load(t.Context(), card.File)
	d.must(err)
	var shown map[string]any
	d.must(json.Unmarshal(raw, &shown))
	if shown["text"] != args["text"] || shown["secret"] != "***" || shown["words"] != "say ***" || len(raw) > wholeBytes {
		t.Errorf("%d bytes; secret %v, words %v", len(raw), shown["secret"], shown["words"])
	}
	if again := d.card(card.ID); again.File != card.File || !again.Approvable {
		t.Errorf("kept as %+v", again)
	}
	d.decides(card.ID, Approved, "")
	d.shown(card.ID)
}

// A card whose file cannot be sent can only be denied, whichever of its two
// files it is, and says so.
func TestFileCannotBeSent(t *testing.T) {
	t.Parallel()
	for _, which := range []string{eventDelivery, fileDelivery} {
		d := newDesk(t)
		card := d.asks(turnRef("turn-1"), sized(100_000))
		if which == fileDelivery {
			d.sends(eventDelivery+card.ID, "")
		}
		d.sends(which+card.ID, "file_too_large")
		now := d.card(card.ID)
		if now.Approvable || now.State != Pending {
			t.Errorf("%s: %+v", which, now)
		}
		if which == eventDelivery { // the card goes without it
			again, content, _ := d.delivery(eventDelivery + card.ID)
			if !again.Attach.Zero() || content["approvable"] != false || content["full_arguments_info"] != nil {
				t.Errorf("sent again as %v", content)
			}
			d.sends(eventDelivery+card.ID, "")
			d.sends(fileDelivery+card.ID, "file_too_large")
		}
		d.sends(textDelivery+card.ID, "")
		_, edit, ok := d.delivery(textDelivery + card.ID + unseenSuffix)
		if body, _ := edit["body"].(string); !ok || !strings.Contains(body, "cannot be approved") {
			t.Errorf("%s: edited to %v", which, edit)
		}
		d.hears(Word{Delivery: textDelivery + card.ID, Person: ann, Key: "✅"})
		if now = d.card(card.ID); now.State != Denied || !strings.Contains(now.Reason, "could not be shown whole") {
			t.Errorf("%s: an approval made it %s (%s)", which, now.State, now.Reason)
		}
		d.shown(card.ID)
	}
}

// A file that cannot even be kept has the same end; a question that nobody can
// be shown is withdrawn.
func TestCannotBeShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must(os.RemoveAll(d.media.Folder))
	if card := d.asks(turnRef("turn-1"), sized(100_000)); card.Approvable || !card.File.Zero() {
		t.Errorf("%+v", card)
	}
	d = newDesk(t)
	card := d.asks(turnRef("turn-1"), map[string]any{})
	d.sends(eventDelivery+card.ID, "refused")
	if now := d.card(card.ID); now.State != Pending || !now.Approvable {
		t.Errorf("the message is still to come and the card is %+v", now)
	}
	d.sends(textDelivery+card.ID, "refused")
	if now := d.card(card.ID); now.State != Withdrawn || now.Reason != "the question could not be shown in the room (refused)" || fmt.Sprint(d.settled) != "[turn-1]" {
		t.Errorf("%+v, told %v", now, d.settled)
	}
}

// Whom and by whom: what is not a person is not asked, and the agent shows the
// card where the router is not.
func TestDraw(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, who := range []string{"", "anna", watcherUser} {
		plan := d.plan(turnRef("turn-1"), map[string]any{})
		plan.Who.Requester = who
		if _, fault := d.cards.Draw(t.Context(), plan); fault == nil || fault.Kind != tool.FaultDenied {
			t.Errorf("%q: %v", who, fault)
		}
	}
	for router, account := range map[tool.Answer]string{tool.Yes: routerUser, tool.No: watcherUser, tool.CannotTell: watcherUser} {
		d.set(func() { d.router = router })
		card, fault := d.cards.Draw(t.Context(), d.plan(turnRef("turn-1"), map[string]any{}))
		if fault != nil || card.Account != account {
			t.Errorf("the router is in the room: %v, shown by %s, %v", router, card.Account, fault)
		}
	}
	d.set(func() { d.router = tool.No })
	plan := d.plan(turnRef("turn-1"), map[string]any{})
	plan.Verdict.Timeout, plan.Who.Agent, plan.Who.Transport = 0, "gone", ""
	if _, fault := d.cards.Draw(t.Context(), plan); fault == nil || fault.Kind != tool.FaultDenied {
		t.Errorf("without an account: %v", fault)
	}
	plan.Who.Agent = "watcher"
	if card, fault := d.cards.Draw(t.Context(), plan); fault != nil || card.Expires.Sub(card.Requested) != unsetTimeout {
		t.Errorf("%+v, %v", card, fault)
	}
}

// Sentence 1: a call that asks again keeps its card, whatever became of it.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	card := d.asks(turnRef("turn-1"), map[string]any{"n": 1})
	d.decides(card.ID, Denied, "no")
	d.asks(turnRef("turn-1"), map[string]any{"n": 2})
	if now := d.card(card.ID); now.State != Denied || now.Digest != card.Digest {
		t.Errorf("%+v", now)
	}
}
