package matrixmessage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/dispatch"
	"mindroom/internal/message"
	"mindroom/internal/tool"
)

func content(t *testing.T, d chat.Delivery) map[string]any {
	t.Helper()
	var c map[string]any
	if err := json.Unmarshal(d.Content, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// Invariants 1 and 2 (S40, S41, S43): the watcher's message wakes the agent it
// names, once, for the requester of the run.
func TestRecipient(t *testing.T) {
	t.Parallel()
	for _, recipient := range []string{"watcher", "helper"} {
		b := newBench(t).pump()
		value, d := b.sent("1", args{"action": "send", "message": "The watched value changed; inspect it.", "recipient": recipient})
		if value["room_id"] != room || value["thread_id"] != thread || value["event_id"] != "$of-"+d.ID || value["recipient"] != recipient {
			t.Errorf("result = %v", value)
		}
		if d.Account != userID("watcher") || d.Room != room || d.ThreadRoot != thread || d.Kind != chat.KindMessage || d.Type != "m.room.message" {
			t.Errorf("delivery = %+v", d)
		}
		c := content(t, d)
		if body := c["body"].(string); body != "@"+recipient+" The watched value changed; inspect it." {
			t.Errorf("body = %q", body)
		}
		if html, ok := c["formatted_body"].(string); !ok || !strings.Contains(html, "https://matrix.to/#/") {
			t.Errorf("there is no pill in %v", c["formatted_body"])
		}
		for _, agent := range []string{"watcher", "helper"} {
			got := b.decide(agent, d)
			if agent != recipient {
				if got.Action != dispatch.Ignore {
					t.Errorf("%s, who is not named, does %+v", agent, got)
				}
				continue
			}
			if got.Action != dispatch.Answer || got.Requester != anna || got.Depth != 3 {
				t.Errorf("%s does %+v, want an answer for the requester at depth 3", agent, got)
			}
		}
	}
}

func TestWithoutRecipientNothingStarts(t *testing.T) {
	t.Parallel()
	b := newBench(t).pump()
	_, d := b.sent("1", args{"message": "for @helper, " + userID("helper") + " and @watcher: look"})
	c := content(t, d)
	if c[message.KeySkipMentions] != true || c[message.KeyOriginalSender] != nil || c[message.KeySourceKind] != nil {
		t.Errorf("content = %v", c)
	}
	for _, agent := range []string{"watcher", "helper"} {
		if got := b.decide(agent, d); got.Action != dispatch.Ignore {
			t.Errorf("%s does %+v", agent, got)
		}
	}
}

func TestRecipientRefused(t *testing.T) {
	t.Parallel()
	send := args{"message": "hi", "recipient": "helper"}
	for name, c := range map[string]struct {
		change func(*bench)
		args   args
		kind   tool.FaultKind
	}{
		"unknown name":           {nil, args{"message": "hi", "recipient": "nobody"}, tool.FaultTool},
		"router":                 {nil, args{"message": "hi", "recipient": "router"}, tool.FaultTool},
		"account of no agent":    {func(b *bench) { b.in.Snapshot = &config.Snapshot{Config: &config.Config{}} }, send, tool.FaultTool},
		"not in the room":        {func(b *bench) { b.joined[room+" "+userID("helper")] = tool.No }, send, tool.FaultTool},
		"may not answer":         {func(b *bench) { b.may["helper "+anna+" "+room] = tool.No }, send, tool.FaultTool},
		"cannot tell":            {func(b *bench) { b.may["helper "+anna+" "+room] = tool.CannotTell }, send, tool.FaultUnavailable},
		"membership unknown":     {func(b *bench) { b.joined[room+" "+userID("helper")] = tool.CannotTell }, send, tool.FaultUnavailable},
		"account not ready":      {func(b *bench) { delete(b.accounts, "helper") }, send, tool.FaultUnavailable},
		"requester is an agent":  {func(b *bench) { b.in.Who.Requester = userID("helper") }, send, tool.FaultUnauthorised},
		"requester is nobody":    {func(b *bench) { b.in.Who.Requester = "" }, send, tool.FaultUnauthorised},
		"recipient of an edit":   {nil, args{"action": "edit", "message": "x", "target": "$1", "recipient": "helper"}, tool.FaultArguments},
		"recipient of a reading": {nil, args{"action": "read", "recipient": "helper"}, tool.FaultArguments},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t).pump()
			if c.change != nil {
				c.change(b)
			}
			f := b.fails(c.kind, "1", c.args)
			if f.Retryable != (c.kind == tool.FaultUnavailable) {
				t.Errorf("fault = %+v", f)
			}
		})
	}
}

// A message of the tool cannot ask: nobody could answer it.
func TestInteractiveBlocksAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t).pump()
	const block = "Look.\n\n```interactive\n{\"question\": \"Which?\", \"options\": [{\"label\": \"A\"}]}\n```"
	for id, a := range map[string]args{
		"1": {"message": block}, "2": {"message": block, "recipient": "helper"}, "3": {"action": "edit", "target": "$1", "message": block},
	} {
		if f := b.fails(tool.FaultArguments, id, a); !strings.Contains(f.Message, "at the end of your answer") {
			t.Errorf("fault = %+v", f)
		}
	}
	b.sent("4", args{"message": "An example:\n````\n" + block + "\n````"})
}

// Invariant 3 (S42).
func TestPlaces(t *testing.T) {
	t.Parallel()
	inBoth := func(b *bench) {
		b.joined[other+" "+anna], b.joined[other+" "+userID("watcher")] = tool.Yes, tool.Yes
	}
	for name, c := range map[string]struct {
		change       func(*bench)
		args         args
		room, thread string
		kind         tool.FaultKind
	}{
		"here":                     {nil, args{}, room, thread, ""},
		"here by id":               {nil, args{"room_id": room}, room, thread, ""},
		"here by key":              {nil, args{"room_id": "operations"}, room, thread, ""},
		"here, the room itself":    {nil, args{"thread_id": "room"}, room, "", ""},
		"another thread":           {nil, args{"thread_id": "$other"}, room, "$other", ""},
		"a room by id":             {inBoth, args{"room_id": other}, other, "", ""},
		"a room by key":            {inBoth, args{"room_id": "lab", "thread_id": "$t"}, other, "$t", ""},
		"unknown room":             {nil, args{"room_id": "!none:example.org"}, "", "", tool.FaultUnauthorised},
		"unknown key":              {nil, args{"room_id": "none"}, "", "", tool.FaultUnauthorised},
		"requester not in it":      {func(b *bench) { inBoth(b); b.joined[other+" "+anna] = tool.No }, args{"room_id": other}, "", "", tool.FaultUnauthorised},
		"agent not in it":          {func(b *bench) { inBoth(b); b.joined[other+" "+userID("watcher")] = tool.No }, args{"room_id": other}, "", "", tool.FaultUnauthorised},
		"requester not allowed":    {func(b *bench) { inBoth(b); b.may["watcher "+anna+" "+other] = tool.No }, args{"room_id": other}, "", "", tool.FaultUnauthorised},
		"membership not known":     {func(b *bench) { inBoth(b); b.joined[other+" "+anna] = tool.CannotTell }, args{"room_id": other}, "", "", tool.FaultUnavailable},
		"a no beats a cannot tell": {func(b *bench) { b.joined[other+" "+anna] = tool.CannotTell }, args{"room_id": other}, "", "", tool.FaultUnauthorised},
		"no conversation":          {func(b *bench) { b.in.Who.Channel = "api" }, args{}, "", "", tool.FaultTool},
		"own account not ready":    {func(b *bench) { delete(b.accounts, "watcher") }, args{}, "", "", tool.FaultUnavailable},
		"malformed thread":         {nil, args{"thread_id": "main"}, "", "", tool.FaultArguments},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t).pump()
			if c.change != nil {
				c.change(b)
			}
			c.args["message"] = "hi"
			if c.kind != "" {
				f := b.fails(c.kind, "1", c.args)
				if c.kind == tool.FaultUnauthorised && f.Message != closed().Message {
					t.Errorf("this refusal tells more than others: %q", f.Message)
				}
				return
			}
			value, d := b.sent("1", c.args)
			if d.Room != c.room || d.ThreadRoot != c.thread || value["room_id"] != c.room {
				t.Errorf("it went to %s %q, result %v", d.Room, d.ThreadRoot, value)
			}
		})
	}
}

func TestReactEditReply(t *testing.T) {
	t.Parallel()
	b := newBench(t).pump()
	b.joined[other+" "+anna], b.joined[other+" "+userID("watcher")] = tool.Yes, tool.Yes
	b.hear(
		chat.Event{EventID: "$hers", Room: room, Sender: anna}, chat.Event{EventID: "$ours", Room: room, Sender: userID("watcher")},
		chat.Event{EventID: "$there", Room: other, Sender: anna},
	)
	_, d := b.sent("1", args{"action": "react", "target": "$hers"})
	if d.Kind != chat.KindReaction || d.Type != "m.reaction" || d.Target.Event != "$hers" || content(t, d)["m.relates_to"].(map[string]any)["key"] != "👍" {
		t.Errorf("reaction = %+v %s", d, d.Content)
	}
	_, d = b.sent("2", args{"action": "edit", "target": "$ours", "message": "better"})
	if d.Kind != chat.KindEdit || d.Target.Event != "$ours" || content(t, d)["body"] != "better" {
		t.Errorf("edit = %+v %s", d, d.Content)
	}
	_, d = b.sent("3", args{"action": "thread-reply", "target": "$hers", "message": "yes"})
	relation := content(t, d)["m.relates_to"].(map[string]any)
	if d.ThreadRoot != thread || relation["m.in_reply_to"].(map[string]any)["event_id"] != "$hers" || relation["is_falling_back"] != false {
		t.Errorf("reply = %+v %s", d, d.Content)
	}
	b.fails(tool.FaultTool, "4", args{"action": "edit", "target": "$hers", "message": "forged"})
	b.fails(tool.FaultTool, "5", args{"action": "react", "target": "$there"})
	b.fails(tool.FaultTool, "6", args{"action": "react", "target": "$none"})
	b.fails(tool.FaultArguments, "7", args{"action": "react"})
	b.fails(tool.FaultArguments, "8", args{"action": "reply", "message": "x", "thread_id": "room"})
	b.fails(tool.FaultArguments, "9", args{"action": "room-threads"})
	for i, a := range []args{{"message": " "}, {}, {"action": "edit", "target": "$ours"}, {"message": strings.Repeat("a", maxMessage+1)}} {
		b.fails(tool.FaultArguments, fmt.Sprint("a", i), a)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	threaded := json.RawMessage(`{"msgtype":"m.text","body":"inside","m.relates_to":{"rel_type":"m.thread","event_id":"$root"}}`)
	b.hear(
		chat.Event{EventID: "$root", Room: room, Sender: anna, OriginTS: 1000},
		chat.Event{EventID: "$in", Room: room, Sender: anna, OriginTS: 2000, Content: threaded},
		chat.Event{EventID: "$beside", Room: room, Sender: anna, OriginTS: 3000},
	)
	ids := func(a args) string {
		var ids []string
		for _, m := range b.ok(fmt.Sprint(a), a)["messages"].([]any) {
			ids = append(ids, m.(map[string]any)["event_id"].(string))
		}
		return strings.Join(ids, " ")
	}
	if got := ids(args{"action": "read"}); got != "$root $in" {
		t.Errorf("the thread reads %s", got)
	}
	if got := ids(args{"action": "read", "thread_id": "room"}); got != "$root $beside" {
		t.Errorf("the room reads %s", got)
	}
	if got := ids(args{"action": "read", "thread_id": "room", "limit": 1}); got != "$beside" {
		t.Errorf("the newest is %s", got)
	}
	if got := ids(args{"action": "read", "thread_id": "$empty"}); got != "" {
		t.Errorf("an empty thread reads %s", got)
	}
	b.fails(tool.FaultArguments, "0", args{"action": "read", "limit": 0})
	b.fails(tool.FaultArguments, "51", args{"action": "read", "limit": 51})
	b.fails(tool.FaultUnauthorised, "x", args{"action": "read", "room_id": other})
	if v := b.ok("c", args{"action": "context"}); v["agent"] != "watcher" || v["requester"] != anna || v["thread_id"] != thread {
		t.Errorf("context = %v", v)
	}
}

// Invariant 4.
func TestOneDeliveryACall(t *testing.T) {
	t.Parallel()
	b := newBench(t).pump()
	first, _ := b.sent("1", args{"message": "once"})
	again, d := b.sent("1", args{"message": "twice"})
	if first["event_id"] != again["event_id"] || content(t, d)["body"] != "once" {
		t.Errorf("one call sent %v and then %v, %s", first, again, d.Content)
	}
	next, _ := b.sent("2", args{"message": "once"})
	if next["event_id"] == first["event_id"] {
		t.Error("another call sent nothing")
	}
}

// Invariant 5.
func TestQueuedAndRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.refuse = chat.KindForbidden
	b.pump()
	out := b.call("1", args{"message": "hi"})
	if out.State != tool.StateFailed || out.Fault.Kind != tool.FaultTool || !strings.Contains(out.Fault.Message, chat.KindForbidden) {
		t.Errorf("outcome = %s %v", out.State, out.Fault)
	}
	// Nobody sends: the call ends with its caller, and the message stays queued.
	quiet := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	quiet.ctx = ctx
	wake, unsubscribe := quiet.outbox.Wake(userID("watcher"))
	defer unsubscribe()
	stop := make(chan struct{})
	go func() { defer close(stop); <-wake; cancel() }()
	value, d := quiet.sent("1", args{"message": "hi"})
	<-stop
	if value["delivery"] != "queued" || value["event_id"] != nil || d.State != chat.Queued {
		t.Errorf("result = %v, delivery %s", value, d.State)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRate()
		k := key{"watcher", anna, room}
		for range maxActions {
			if f := r.take(k, 1); f != nil {
				t.Fatal(f)
			}
			time.Sleep(time.Second)
		}
		f := r.take(k, 1)
		if f == nil || f.Kind != tool.FaultQuota || !f.Retryable || !strings.Contains(f.Message, "18s") {
			t.Fatalf("the thirteenth: %v", f)
		}
		for _, k := range []key{{"helper", anna, room}, {"watcher", "@bob:example.org", room}, {"watcher", anna, other}} {
			if f := r.take(k, 1); f != nil {
				t.Errorf("%v: %v", k, f)
			}
		}
		time.Sleep(18 * time.Second)
		if f := r.take(k, 1); f != nil {
			t.Errorf("after the window: %v", f)
		}
		if f := r.take(k, 1); f == nil {
			t.Error("only one action had left the window")
		}
		time.Sleep(2 * time.Second) // two more have left: room for one with a file
		if f := r.take(k, 3); f == nil || !strings.Contains(f.Message, "1s") {
			t.Errorf("an action with two files: %v", f)
		}
		if f := r.take(k, 2); f != nil {
			t.Errorf("an action with a file: %v", f)
		}
		time.Sleep(window)
		for i := range sweepAt + 1 {
			r.take(key{room: fmt.Sprint(i)}, 1)
		}
		if n := len(r.recent); n > sweepAt+1 {
			t.Errorf("%d keys are kept", n)
		}
	})
}

func TestRateHolds(t *testing.T) {
	t.Parallel()
	b := newBench(t).pump()
	var kinds []tool.FaultKind
	for i := range maxActions + 1 {
		if out := b.call(fmt.Sprint(i), args{"message": "hi"}); out.Fault != nil {
			kinds = append(kinds, out.Fault.Kind)
		}
	}
	if !slices.Equal(kinds, []tool.FaultKind{tool.FaultQuota}) {
		t.Errorf("faults = %v, want one", kinds)
	}
}

func TestAddressed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"look":               "@watcher look",
		"  look \n":          "@watcher look",
		"two\nlines":         "@watcher\n\ntwo\nlines",
		"# head":             "@watcher\n\n# head",
		"@watcher look":      "@watcher look",
		"@watcher":           "@watcher",
		"@watchers of birds": "@watcher\n\n@watchers of birds",
		"écoute":             "@watcher écoute",
	} {
		if got := addressed("watcher", text); got != want {
			t.Errorf("addressed(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzSend(f *testing.F) {
	f.Add("hello", "watcher", "")
	f.Add("```\ncode", "helper", "room")
	f.Fuzz(func(t *testing.T, text, name, thread string) {
		a := arguments{Message: text, Recipient: name, ThreadID: thread}
		if a.check() != nil {
			return
		}
		if got := addressed(name, text); !strings.Contains(got, strings.TrimSpace(text)) || !strings.HasPrefix(got, "@"+name) {
			t.Fatalf("addressed(%q, %q) = %q", name, text, got)
		}
	})
}
