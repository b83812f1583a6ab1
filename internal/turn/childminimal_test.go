package turn

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/mode"
	"mindroom/internal/tool"
	"mindroom/internal/turncli"
)

// bashers is a family with shells: helper and the watcher itself can be minimal, a
// bare one has no workspace, and a mute one no shell.
const bashers = `
models:
  default: {provider: scripted, id: demo}
agents:
  watcher: {display_name: Watcher, role: You watch., instructions: [Look twice.], memory_backend: file, tools: [probe, shell], delegate_to: [helper, bare, mute, watcher], background_jobs: true}
  helper: {display_name: Helper, role: You help., memory_backend: file, minimal_instructions: [Be brief.], tools: [probe, shell]}
  bare: {display_name: Bare, tools: [probe, shell]}
  mute: {display_name: Mute, memory_backend: file, tools: [probe]}
authorization: {default_room_access: true}
`

// openings remembers what doors were opened for.
type openings struct {
	mu  sync.Mutex
	all []turncli.Opening
}

func (o *openings) record(p *Parts) {
	open := p.CLI
	p.CLI = func(opening turncli.Opening) (CLIOwner, error) {
		o.mu.Lock()
		o.all = append(o.all, opening)
		o.mu.Unlock()
		return open(opening)
	}
}

// of is the door of an agent's only response.
func (o *openings) of(agent string) turncli.Opening {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, opening := range o.all {
		if opening.Who.Agent == agent && opening.Documents != nil {
			return opening
		}
	}
	return turncli.Opening{}
}

// A minimal subagent has Bash alone, in its own agent's workspace and by its own
// grant; it keeps the mode when it is continued, and cannot call what might ask a
// person (M11, M12).
func TestMinimalSubagent(t *testing.T) {
	t.Parallel()
	var doors openings
	b := newMinimalOf(t, bashers, mode.Standard, doors.record)
	b.model.plays(
		calls("run_subagent", `{"task":"Look there.","agent":"helper","minimal":true}`),
		calls("bash", bash(`probe.echo {"key":"a"}`, `probe.gated {"key":"g"}`)), says("Found."), says("So."))
	id := b.ask("$1", "please")
	b.ends(id, Answered)
	r := b.report()
	if r.Mode != mode.Minimal || r.State != SubagentCompleted {
		t.Errorf("the report is %+v", r)
	}
	child := b.model.askedOf("helper")
	if len(child[0].Tools) != 1 || child[0].Tools[0].Name != "bash" || !strings.HasPrefix(child[0].System, "You are Helper (agent `helper`)") ||
		!strings.Contains(child[0].System, "subagent of the agent watcher") || strings.Contains(child[0].System, "You help.") || !strings.HasSuffix(child[0].System, "Be brief.") {
		t.Errorf("it has %d tools and the prompt\n%s", len(child[0].Tools), child[0].System)
	}
	if got := child[1].Messages[2].Results()[0].Text; !strings.HasPrefix(got, `completed "echo a"`+"\nfailed ") || b.tools.times("g") != 0 {
		t.Errorf("it reads %q", got)
	}
	door := doors.of("helper")
	if door.Turn != b.subagent(r.ID).turn || door.Holds != nil || !door.EndAtTimeout || door.Surface.Lookup(tool.Name{Toolkit: "probe", Function: "gated"}) != nil {
		t.Errorf("its door is %+v", door)
	}
	if text := b.said(id); !strings.Contains(text, "`helper: bash`") {
		t.Errorf("the room reads %q", text)
	}
	b.model.plays(calls("continue_subagent", args(map[string]string{"id": r.ID, "message": "More."})), calls("bash", bash(`probe.echo {"key":"b"}`)), says("There."), says("So."))
	b.ends(b.ask("$2", "go on"), Answered)
	if again := b.model.askedOf("helper"); len(again[2].Tools) != 1 || again[2].Tools[0].Name != "bash" || b.tools.times("b") != 1 {
		t.Errorf("continued it has %d tools", len(again[2].Tools))
	}
	b.until("the doors are closed", func() bool {
		b.engine.mu.Lock()
		defer b.engine.mu.Unlock()
		return len(b.engine.owners) == 0
	})
}

// What cannot be minimal fails before anything, with the reason and what to do (M13).
func TestMinimalSubagentThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  string
		parts func(*Parts)
		want  string
	}{
		"no workspace":       {`{"task":"x","agent":"bare","minimal":true}`, nil, "no workspace"},
		"no shell":           {`{"task":"x","agent":"mute","minimal":true}`, nil, "no shell"},
		"no API":             {`{"task":"x","agent":"helper","minimal":true}`, func(p *Parts) { p.Deployment = nil }, "--no-api"},
		"no mindroom-agent":  {`{"task":"x","agent":"helper","minimal":true}`, func(p *Parts) { p.CLI = nil }, "mindroom-agent is not available"},
		"shell commands ask": {`{"task":"x","agent":"helper","minimal":true}`, func(p *Parts) { p.Room.Policy = testPolicy{} }, "may need a person's approval"},
		"tools without it":   {`{"task":"x","tools":["probe"],"minimal":true}`, nil, "must include shell or shell.run_shell_command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMinimalOf(t, bashers, mode.Standard, c.parts)
			b.model.plays(calls("run_subagent", c.args), says("So."))
			b.ends(b.ask("$1", "please"), Answered)
			got := b.model.asked()[1].Messages[2].Results()[0]
			if !got.IsError || !strings.Contains(got.Text, c.want) || !strings.Contains(got.Text, withoutMinimal) {
				t.Errorf("the caller reads %q", got.Text)
			}
			if n := len(b.subagentIDs()); n != 0 {
				t.Errorf("%d subagents were started", n)
			}
		})
	}
}

// One that has lost what minimal mode needs fails too when it is continued, and does
// not fall back.
func TestMinimalSubagentThatCannotBeAnyMore(t *testing.T) {
	t.Parallel()
	var lost atomic.Bool
	b := newMinimalOf(t, bashers, mode.Standard, func(p *Parts) {
		p.Deployment = func() mode.Deployment { return mode.Deployment{API: !lost.Load()} }
	})
	b.model.plays(calls("run_subagent", `{"task":"x","agent":"helper","minimal":true}`), says("Here."), says("So."))
	b.ends(b.ask("$1", "please"), Answered)
	id := b.report().ID
	lost.Store(true)
	b.model.plays(calls("continue_subagent", args(map[string]string{"id": id, "message": "More."})), says("So."))
	b.ends(b.ask("$2", "go on"), Answered)
	if r := b.report(); r.State != SubagentFailed || !strings.Contains(r.Result, "--no-api") || !strings.Contains(r.Result, withoutMinimal) {
		t.Errorf("it is %+v", r)
	}
	if n := len(b.model.askedOf("helper")); n != 1 {
		t.Errorf("its model was asked %d times", n)
	}
}

// An authored minimal subagent is who its prompt says it is; what it can read and call
// is of the tools it was given, and nothing of its caller's role (M14).
func TestMinimalAuthoredSubagent(t *testing.T) {
	t.Parallel()
	var doors openings
	b := newMinimalOf(t, bashers, mode.Standard, doors.record)
	b.model.plays(
		calls("run_subagent", `{"task":"x","minimal":true,"prompt":"You are {nobody}.","tools":["shell.run_shell_command","probe.echo"]}`),
		calls("bash", bash(`probe.echo {"key":"a"}`, `probe.hold {"key":"h"}`)), says("Found."), says("So."))
	b.ends(b.ask("$1", "please"), Answered)
	asked := b.model.asked()[1]
	if !strings.HasPrefix(asked.System, "You are {nobody}.\n") || strings.Contains(asked.System, "Watcher") || !strings.Contains(asked.System, "mindroom-agent --help") ||
		!strings.Contains(asked.System, "Toolkits: `probe`, `shell`.") {
		t.Errorf("its prompt is\n%s", asked.System)
	}
	if got := b.model.asked()[2].Messages[2].Results()[0].Text; !strings.HasPrefix(got, `completed "echo a"`+"\nfailed ") || b.tools.times("h") != 0 {
		t.Errorf("it reads %q", got)
	}
	var all []string
	for _, d := range doors.of("watcher").Documents {
		all = append(all, d.Name+": "+d.Text)
	}
	text := strings.Join(all, "\n")
	if !strings.Contains(text, "role: You are {nobody}.") || strings.Contains(text, "You watch.") || strings.Contains(text, "Look twice.") || strings.Contains(text, "hold") {
		t.Errorf("its documents are\n%s", text)
	}
}

// A minimal caller starts a minimal subagent from inside its Bash, and each command
// reaches the door of its own response.
func TestMinimalCallerOfAMinimalSubagent(t *testing.T) {
	t.Parallel()
	b := newMinimalOf(t, bashers, mode.Minimal, nil)
	b.model.plays(
		calls("bash", bash(`delegate.run_subagent {"task":"x","agent":"helper","minimal":true}`, `probe.echo {"key":"o"}`)),
		calls("bash", bash(`probe.echo {"key":"i"}`)), says("Inner."), says("Outer."))
	id := b.ask("$1", "please")
	b.ends(id, Answered)
	if got := b.model.asked()[3].Messages[2].Results()[0].Text; got != `completed "helper completed: Inner."`+"\n"+`completed "echo o"` {
		t.Errorf("the caller reads %q", got)
	}
	doors := map[string]string{}
	for _, e := range b.audit.all() {
		doors[e.Call.Name.Function+" "+e.Call.Args.Digest()] = e.Call.Owner
	}
	if sub := b.only(); len(doors) != 5 || sub.turn == id {
		t.Errorf("the calls are %v", doors)
	}
	// The subagent's Bash stands under the call that started it.
	b.oneAnswer(id, "🔧 `bash` [1]\n🔧 `run_subagent` [2]\n🔧 `helper: bash` [3]\n🔧 `echo` [4]\n\nOuter.")
}

// A command of a background job has no limit of its own accord (M21).
func TestMinimalBackgroundJobIsNotHurried(t *testing.T) {
	t.Parallel()
	b := newMinimalOf(t, bashers, mode.Standard, nil)
	b.model.agents = map[string][]answer{
		"watcher": {calls("run_subagent", `{"task":"x","agent":"helper","minimal":true,"background":true}`), says("Begun.")},
		"helper":  {calls("bash", bash(`probe.echo {"key":"a"}`), "bash", `{"command":"# quick","timeout":5}`), says("Found.")},
	}
	b.ends(b.ask("$1", "please"), Answered)
	b.ends(b.subagent(b.report().ID).turn, Answered)
	var given []string
	for _, e := range b.audit.all() {
		if e.Call.Name == shellTool {
			given = append(given, string(e.Call.Args.Canonical()))
		}
	}
	slices.Sort(given)
	if len(given) != 2 || !strings.Contains(given[0], `"timeout":5}`) && !strings.Contains(given[1], `"timeout":5}`) || !strings.Contains(strings.Join(given, " "), `"timeout":86400}`) {
		t.Errorf("the shell was given %v", given)
	}
}

// Who may be offered as a minimal subagent (M11).
func TestCanBeMinimal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		parts func(*Parts)
		want  []string
	}{
		"those with a shell":     {nil, []string{"watcher", "helper", "bare"}},
		"nobody without the API": {func(p *Parts) { p.Deployment = nil }, nil},
		"nobody without a door":  {func(p *Parts) { p.CLI = nil }, nil},
		"nobody where it asks":   {func(p *Parts) { p.Room.Policy = testPolicy{} }, nil},
	} {
		b := newMinimalOf(t, bashers, mode.Standard, c.parts)
		var got []string
		for _, agent := range []string{"watcher", "helper", "bare", "mute", "nobody"} {
			if b.engine.CanBeMinimal(b.engine.Config.Current(), agent) {
				got = append(got, agent)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Whatever a rule may ask about is kept from a subagent for which nobody could be
// asked, and from what it starts itself.
func TestWithheldFunctions(t *testing.T) {
	t.Parallel()
	e := &Engine{Parts: Parts{Room: &tool.Room{Policy: shellRules{}}}}
	gated, echo := &tool.Function{Name: tool.Name{Toolkit: "probe", Function: "gated"}}, &tool.Function{Name: tool.Name{Toolkit: "probe", Function: "echo"}}
	for name, c := range map[string]struct {
		child       child
		gated, echo bool
	}{
		"one that can ask":         {child{asks: true}, false, false},
		"one that cannot":          {child{}, true, false},
		"given one function":       {child{asks: true, sub: subagent{tools: []string{"probe.gated"}}}, false, true},
		"given it and cannot ask":  {child{sub: subagent{tools: []string{"probe.gated"}}}, true, true},
		"given the toolkit":        {child{asks: true, sub: subagent{tools: []string{"probe"}}}, false, false},
		"given another's namesake": {child{asks: true, sub: subagent{tools: []string{"other.gated", "prob"}}}, true, true},
		"given nothing":            {child{asks: true, sub: subagent{tools: []string{}}}, true, true},
	} {
		snap := &config.Snapshot{}
		if g, h := c.child.withheld(e, snap, gated), c.child.withheld(e, snap, echo); g != c.gated || h != c.echo {
			t.Errorf("%s: gated %v, echo %v", name, g, h)
		}
	}
	above := caller{response: &response{child: &child{}}}
	if above.asks(mode.Standard) || (caller{response: &response{}}).asks(mode.Minimal) || !(caller{response: &response{}}).asks(mode.Standard) {
		t.Error("who cannot ask has subagents that can")
	}
}
