package dispatch

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// accepted keeps commands as Commands does: an event once.
type accepted struct {
	w    *world
	all  []Command
	seen map[string]bool
}

func (c *accepted) Accept(tx *store.Tx, command Command) error {
	tx.AfterCommit(func() {
		c.w.mu.Lock()
		defer c.w.mu.Unlock()
		if c.seen == nil {
			c.seen = map[string]bool{}
		}
		if !c.seen[command.EventID] {
			c.seen[command.EventID] = true
			c.all = append(c.all, command)
		}
	})
	return nil
}

func (c *accepted) list() []Command {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return append([]Command(nil), c.all...)
}

// withCommands is a world whose pump takes commands, the router elsewhere.
func withCommands(t *testing.T, yaml string) (*world, *accepted) {
	t.Helper()
	w := newWorld(t, yaml)
	commands := &accepted{w: w}
	w.pump.Commands = commands
	w.set(ops, ours["router"], tool.No)
	return w, commands
}

func TestCommandsAreNoAgents(t *testing.T) {
	t.Parallel()
	w, commands := withCommands(t, "")
	w.start()
	w.hears(
		text("$1", ops, "@ghost:x", " !Help me"),
		text("$2", ops, ann, "!stop", inThreadOf("$root")),
		text("$3", ops, ann, "🎤 !thread_mode room", fmt.Sprintf(`,"m.relates_to":{"m.in_reply_to":{"event_id":%q}}`, "$2")),
		text("$4", ops, watcher, "!help"),
		text("$5", ops, ann, "> <@x:y> !quoted\n\nhello"),
	)
	if got := triggers(w.settles(0)); got != "$5" {
		t.Errorf("turns for %s", got)
	}
	want := []Command{
		{Account: watcher, Entity: "watcher", EventID: "$1", Room: ops, Sender: "@ghost:x", Person: ann, Text: "!Help me"},
		{Account: watcher, Entity: "watcher", EventID: "$2", Room: ops, Thread: "$root", Sender: ann, Person: ann, Text: "!stop"},
		{Account: watcher, Entity: "watcher", EventID: "$3", Room: ops, Thread: "$root", Sender: ann, Person: ann, Text: "!thread_mode room", Spoken: true},
	}
	if got := commands.list(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("accepted\n%+v, want\n%+v", got, want)
	}
}

// Sentence 5: one account takes a room's commands, the router's where it is.
func TestWhoTakesCommands(t *testing.T) {
	t.Parallel()
	const router = "@mindroom_router:x"
	for name, c := range map[string]struct {
		router, helper, watcher tool.Answer
		asks                    string
		want                    tool.Answer
	}{
		"the router, itself":            {tool.Yes, tool.Yes, tool.Yes, router, tool.Yes},
		"an agent beside it":            {tool.Yes, tool.Yes, tool.Yes, helper, tool.No},
		"the first agent without it":    {tool.No, tool.Yes, tool.Yes, helper, tool.Yes},
		"the second agent without it":   {tool.No, tool.Yes, tool.Yes, watcher, tool.No},
		"the second agent alone":        {tool.No, tool.No, tool.Yes, watcher, tool.Yes},
		"nobody knows about the router": {tool.CannotTell, tool.Yes, tool.Yes, helper, tool.CannotTell},
		"nobody knows about the first":  {tool.No, tool.CannotTell, tool.Yes, watcher, tool.CannotTell},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.pump.Router = "zrouter"
			w.pump.Accounts = accountsOf{"helper": helper, "watcher": watcher, "zrouter": router}
			for user, answer := range map[string]tool.Answer{router: c.router, helper: c.helper, watcher: c.watcher} {
				w.set(ops, user, answer)
			}
			if got := w.pump.takesCommands(t.Context(), Account{Name: c.asks, UserID: c.asks}, ops); got != c.want {
				t.Errorf("takes commands: %v, want %v", got, c.want)
			}
		})
	}
}

type accountsOf map[string]string

func (a accountsOf) Names() (names []string) {
	for name := range a {
		names = append(names, name)
	}
	return names
}
func (a accountsOf) UserID(name string) (string, bool) { id, ok := a[name]; return id, ok }
func (a accountsOf) Entity(user string) (string, bool) {
	for name, id := range a {
		if id == user {
			return name, true
		}
	}
	return "", false
}

// The router's account takes commands although it has no agent, and a bot's
// commands are for somebody else.
func TestTheRoutersAccountTakesCommands(t *testing.T) {
	t.Parallel()
	w, commands := withCommands(t, `
models: {default: {provider: scripted, id: demo}}
agents: {helper: {display_name: Helper}}
authorization: {default_room_access: true}
bot_accounts: ["@bot:x"]
`)
	w.pump.Router = "watcher"
	group := lifecycle.New(context.Background())
	w.pump.Watch(group, Account{Name: watcher, UserID: watcher})
	w.hears(text("$1", ops, "@bot:x", "!help"), text("$2", ops, ann, "!help"), text("$3", ops, ann, "hello"))
	if got := w.settles(0); len(got) != 0 {
		t.Errorf("created %+v", got)
	}
	if got := commands.list(); len(got) != 1 || got[0].EventID != "$2" {
		t.Errorf("accepted %+v", got)
	}
	must(t, group.Stop(t.Context()))
}

// Who only spoke to the program took no part in a thread.
func TestCommandsAreNoPartOfAThread(t *testing.T) {
	t.Parallel()
	w, _ := withCommands(t, "")
	w.set(ops, helper, tool.Yes)
	w.start()
	w.hears(
		text("$1", ops, ann, "@watcher come"),
		text("$a", ops, watcher, "here", inThreadOf("$1")),
		text("$2", ops, ben, "!help", inThreadOf("$1")),
		text("$b", ops, helper, "The commands are", inThreadOf("$1"), `,"io.mindroom.program":"$2"`),
		text("$3", ops, ann, "go on", inThreadOf("$1")),
	)
	if got := triggers(w.settles(0)); got != "$1 $3" {
		t.Errorf("turns for %s", got)
	}
}

// What is said in a thread is answered there in either mode.
func TestModes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent string
		asked config.ThreadMode // what Mode says; none means that there is no Mode
		want  string            // roots of an answer to a plain message and to one in $root's thread
	}{
		"thread mode":          {"", "", "$1 $root"},
		"room mode":            {", thread_mode: room", "", " $root"},
		"room mode here":       {`, room_thread_modes: {"!ops:x": room}`, "", " $root"},
		"thread mode here":     {`, thread_mode: room, room_thread_modes: {"!ops:x": thread}`, "", "$1 $root"},
		"somebody says room":   {"", config.ModeRoom, " $root"},
		"somebody says thread": {", thread_mode: room", config.ModeThread, "$1 $root"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, `
models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: Watcher`+c.agent+`}}
authorization: {default_room_access: true}
`)
			if c.asked != "" {
				w.pump.Mode = func(*config.Agent, string) config.ThreadMode { return c.asked }
			}
			w.start()
			w.hears(text("$1", ops, ann, "hello"), text("$2", ops, ann, "inside", inThreadOf("$root")))
			var roots, sessions []string
			for _, r := range w.settles(0) {
				roots = append(roots, r.ThreadRoot)
				sessions = append(sessions, strings.TrimPrefix(strings.TrimPrefix(r.Who.Session, ops), ":"))
			}
			if got := strings.Join(roots, " "); got != c.want || strings.Join(sessions, " ") != c.want {
				t.Errorf("answers go to %q, sessions are %q, want %q", got, sessions, c.want)
			}
		})
	}
}

func FuzzCommand(f *testing.F) {
	for _, seed := range []string{"!help", "🎤 !help", " ! ", "> <@a:b> x\n!help", "```\n!help\n```", "🎤🎤!x", "!\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		text, ok := Content{Body: body}.Command()
		if ok != strings.HasPrefix(text, "!") || text != strings.TrimSpace(text) {
			t.Errorf("%q is %q, %v", body, text, ok)
		}
		if again, still := (Content{Body: text}).Command(); ok && !strings.Contains(text, "```") && !strings.Contains(text, "~~~") && (again != text || !still) {
			t.Errorf("%q is %q and then %q", body, text, again)
		}
	})
}
