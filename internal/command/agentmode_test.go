package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// modal has an agent of each kind that !mode tells apart. watcher answers in
// threads, hall in rooms, own is private, bare lacks everything.
const modal = `
models: {default: {provider: scripted, id: demo}}
agents:
  watcher: {display_name: Watcher, rooms: [ops], tools: [shell], memory_backend: file}
  hall: {display_name: Hall, rooms: [ops], tools: [shell], memory_backend: file, thread_mode: room}
  own: {display_name: Own, rooms: [ops], tools: [shell], private: {per: user}}
  bare: {display_name: Bare, rooms: [ops], thread_mode: room}
  elsewhere: {display_name: Elsewhere, rooms: [lab], tools: [shell], memory_backend: file}
teams: {both: {display_name: Both, role: Two, agents: [watcher, hall]}}
authorization:
  default_room_access: true
  aliases: {"@ann:x": ["@ghost:x"]}
  agent_reply_permissions: {"*": ["@ann:x", "@ben:x"], elsewhere: ["@ben:x"]}
`

const root = "$root"

// newModal is a world with those agents, of which elsewhere is not in ops.
func newModal(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, modal)
	w.deploy(mode.Deployment{API: true, EnvFile: "/srv/house/.env"})
	w.set(ops+" @elsewhere:x", tool.No)
	w.start()
	return w
}

// told gives a command and returns its answer.
func (w *world) told(r Request) string {
	w.t.Helper()
	w.mu.Lock()
	w.ran = append(w.ran, "")
	r.EventID = fmt.Sprintf("$said%d", len(w.ran))
	w.mu.Unlock()
	if r.Room == "" {
		r.Room = ops
	}
	w.says(r)
	w.becomes(r.EventID, Answered)
	_, body, _ := w.answered(r.EventID)
	return body
}

// chosen are the stored choices, whole.
func (w *world) chosen() (rows []string) {
	w.t.Helper()
	must(w.t, w.db.Read(w.t.Context(), func(q *store.Reader) error {
		return store.Each(q, func(all *store.Rows) error {
			var agent, owner, session, m, by, at string
			err := all.Scan(&agent, &owner, &session, &m, &by, &at)
			rows = append(rows, strings.Join([]string{agent, owner, session, m, by, at}, " "))
			return err
		}, `SELECT agent, owner, session, mode, set_by, set_at FROM agent_modes ORDER BY agent, owner, session`)
	}))
	return rows
}

// M02, M03, M04, M07: what is refused, in the order of the checks, and that nothing
// of an earlier choice changes.
func TestModeRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, sender, thread string
		spoken               bool
		set                  string
		answer               tool.Answer
		deployment           mode.Deployment
		want                 []string
		not                  string
	}{
		"three words":          {text: "!mode hall minimal please", want: []string{textModeUsage}},
		"no such action":       {text: "!mode hall tiny", want: []string{textModeUsage}},
		"another case":         {text: "!mode hall Minimal", want: []string{textModeUsage}},
		"only a mark":          {text: "!mode @ minimal", want: []string{textModeUsage}},
		"usage before agent":   {text: "!mode nobody tiny", want: []string{textModeUsage}},
		"an unknown agent":     {text: "!mode watchr minimal", want: []string{"❌ Unknown agent `watchr`. Did you mean `watcher`?", "Here are `watcher`, `hall`, `own`, `bare`."}, not: "elsewhere"},
		"the agent's case":     {text: "!mode Watcher minimal", want: []string{"❌ Unknown agent `Watcher`. Did you mean `watcher`?"}},
		"a team":               {text: "!mode both minimal", thread: root, want: []string{"❌ Unknown agent `both`."}},
		"code in a name":       {text: "!mode `x`*minimal show", want: []string{"❌ Unknown agent `'x'*minimal`."}},
		"not for her":          {text: "!mode elsewhere minimal", thread: root, want: []string{textNoAccess}},
		"not even to see":      {text: "!mode elsewhere show", thread: root, want: []string{textNoAccess}},
		"access before thread": {text: "!mode elsewhere minimal", want: []string{textNoAccess}},
		"outside of a thread":  {text: "!mode watcher minimal", want: []string{fmt.Sprintf(textNoThread, "watcher")}},
		"nor is it shown":      {text: "!mode watcher", want: []string{fmt.Sprintf(textNoThread, "watcher")}},
		"thread before needs":  {text: "!mode watcher minimal", deployment: mode.Deployment{}, want: []string{fmt.Sprintf(textNoThread, "watcher")}},
		"by voice":             {text: "!mode hall minimal", spoken: true, want: []string{textSpoken}},
		"everything missing": {text: "!mode bare minimal", want: []string{
			"❌ `bare` cannot use minimal mode, and nothing was changed:\n\n- It has no shell: add `shell`", "\n- It has no workspace: set `memory_backend: file`", "\n- MindRoom runs without its API",
			"`/srv/house/.env`", "docs/how-to/use-minimal-mode.md#deployment-requirements",
		}, deployment: mode.Deployment{EnvFile: "/srv/house/.env"}},
		"of the agent alone": {text: "!mode bare minimal", deployment: mode.Deployment{API: true, EnvFile: "/srv/house/.env"},
			want: []string{"- It has no shell", "- It has no workspace"}, not: ".env"},
		"the program's fault is not quoted": {text: "!mode hall minimal", deployment: mode.Deployment{API: true, AgentCLI: errors.New("secret")},
			want: []string{"- The program `mindroom-agent` cannot be used", "Start MindRoom anew"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newModal(t)
			for _, before := range []Request{{Sender: ann, Text: "!mode hall minimal"}, {Sender: ann, Text: "!mode watcher minimal", Thread: root}} {
				if said := w.told(before); !strings.HasPrefix(said, "✅") {
					t.Fatal(said)
				}
			}
			before := w.chosen()
			w.deploy(c.deployment)
			got := w.told(Request{Sender: ann, Text: c.text, Thread: c.thread, Spoken: c.spoken})
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("it lacks %q:\n%s", want, got)
				}
			}
			if c.not != "" && strings.Contains(got, c.not) || strings.Contains(got, "secret") {
				t.Errorf("it says too much:\n%s", got)
			}
			if after := w.chosen(); !slices.Equal(before, after) || len(after) != 2 {
				t.Errorf("the choices were %q and are %q", before, after)
			}
		})
	}
}

// Who is in the room is not known yet: denied, though the desk itself lets her in.
func TestModeNeedsResolvedMembership(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.Replace(modal, `elsewhere: ["@ben:x"]`, `hall: {users: [], joined_rooms: [lab]}`, 1))
	w.deploy(mode.Deployment{API: true})
	w.start()
	if got := w.told(Request{Sender: ann, Text: "!mode hall minimal"}); got != textNoAccess || len(w.chosen()) != 0 {
		t.Errorf("it is answered %q, %q", got, w.chosen())
	}
}

// M02, M04, M05, M06: what a choice is for, and that it is there after a restart.
func TestModeChooses(t *testing.T) {
	t.Parallel()
	w := newModal(t)
	for _, c := range []struct {
		sender, text, thread, want string
		rows                       int
	}{
		{ann, "!mode hall minimal", "", "✅ `hall` uses **minimal** mode in this conversation, from its next answer on.", 1},
		{ann, "!mode hall show", root, "`hall` uses **minimal** mode in this conversation.", 1}, // the whole room
		{ben, "!MODE @hall", "", "`hall` uses **minimal** mode in this conversation.", 1},       // for everybody
		{ann, "!mode watcher show", root, "`watcher` uses **standard** mode in this conversation.", 1},
		{ann, "!mode watcher minimal", root, "✅ `watcher` uses **minimal** mode", 2},
		{ann, "!mode watcher show", "$other", "`watcher` uses **standard** mode", 2},
		{ann, "!mode own minimal", root, "✅ `own` uses **minimal** mode in this conversation, for you, from its next answer on.", 3},
		{ben, "!mode own show", root, "`own` uses **standard** mode in this conversation, for you.", 3},
		{ben, "!mode own minimal", root, "✅", 4},
		{ann, "!mode own reset", root, "✅ `own` uses **standard** mode", 3},
		{ben, "!mode own show", root, "**minimal**", 3},
		{ann, "!mode hall standard", root, "✅ `hall` uses **standard** mode in this conversation, from its next answer on.", 2},
		{ann, "!mode hall standard", "", "✅ `hall` uses **standard** mode", 2}, // already so
		{ann, "!mode", root, "- `watcher`: minimal\n- `hall`: standard\n- `own`: standard, for you\n- `bare`: standard\n", 2},
		{ben, "!mode", "", "- `watcher`: one for each thread; ask inside one\n- `hall`: standard\n", 2},
	} {
		got := w.told(Request{Sender: c.sender, Text: c.text, Thread: c.thread})
		if !strings.Contains(got, c.want) {
			t.Errorf("%s in %q is answered %q, want %q", c.text, c.thread, got, c.want)
		}
		if rows := w.chosen(); len(rows) != c.rows {
			t.Errorf("after %s by %s in %q: %q", c.text, c.sender, c.thread, rows)
		}
	}
	before := w.chosen()
	w.reopen()
	if after := w.chosen(); !slices.Equal(before, after) || !strings.HasPrefix(after[0], "own @ben:x "+ops+":"+root+" minimal @ben:x ") {
		t.Errorf("after a restart the choices are %q", after)
	}
	if got := w.told(Request{Sender: "@ghost:x", Person: ann, Text: "!mode own minimal", Thread: root}); !strings.HasPrefix(got, "✅") ||
		!strings.HasPrefix(w.chosen()[0], "own @ann:x ") {
		t.Errorf("a ghost of a bridge is answered %q and chose %q", got, w.chosen())
	}
}

// M08: what was chosen stays when something goes missing, is said, and is undone by
// standard, which needs nothing.
func TestModeThatLostItsGround(t *testing.T) {
	t.Parallel()
	w := newModal(t)
	w.told(Request{Sender: ann, Text: "!mode hall minimal"})
	w.deploy(mode.Deployment{})
	got := w.told(Request{Sender: ann, Text: "!mode hall show"})
	if !strings.Contains(got, "**minimal**") || !strings.Contains(got, "- MindRoom runs without its API") || !strings.Contains(got, "`!mode hall standard`") {
		t.Errorf("show is answered %q", got)
	}
	if len(w.chosen()) != 1 {
		t.Errorf("the choices are %q", w.chosen())
	}
	if got := w.told(Request{Sender: ann, Text: "!mode hall standard"}); !strings.HasPrefix(got, "✅") || len(w.chosen()) != 0 {
		t.Errorf("standard is answered %q, %q", got, w.chosen())
	}
}

// A store that fails is a fault of ours: nobody reads that a choice was made.
func TestModeWithoutAStore(t *testing.T) {
	t.Parallel()
	w := newModal(t)
	must(t, w.db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(`DROP TABLE agent_modes`); return err }))
	for _, text := range []string{"!mode", "!mode hall", "!mode hall minimal", "!mode hall standard"} {
		if got := w.told(Request{Sender: ann, Text: text}); got != textFailed {
			t.Errorf("%s is answered %q", text, got)
		}
	}
}

// FuzzOrder: whatever is written, an order has an action, only known ones change
// something, and a name has no white space in it.
func FuzzOrder(f *testing.F) {
	for _, seed := range []string{"", " ", "helper", "@helper minimal", "helper\u00a0reset", "@", "a b c", "a  show ", "x standard\n"} {
		f.Add(seed)
	}
	changes := AgentModes{}.Command().Changes
	f.Fuzz(func(t *testing.T, args string) {
		o, ok := parseOrder(args)
		if ok && (strings.IndexFunc(o.agent, isSpace) >= 0 || o.do == "" || o.agent == "" && o.do != actShow) {
			t.Errorf("%q is the order %+v", args, o)
		}
		if changes(args) != (ok && o.do != actShow) {
			t.Errorf("%q changes something: %v", args, changes(args))
		}
		if words := strings.FieldsFunc(args, isSpace); ok != (len(words) < 2 || len(words) == 2 && (words[1] == "minimal" || words[1] == "standard" || words[1] == "show" || words[1] == "reset")) && strings.TrimPrefix(strings.Join(words, ""), "@") != "" && words[0] != "@" {
			t.Errorf("%q is understood: %v", args, ok)
		}
	})
}
