package turn

import (
	"strings"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/config"
	"mindroom/internal/media"
	"mindroom/internal/mode"
	"mindroom/internal/model"
	"mindroom/internal/turncli"
)

// bash is a model's call of Bash.
func bash(lines ...string) string {
	return `{"command":` + quoted(strings.Join(lines, "\n")) + `}`
}

func TestMinimalMode(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, nil)
	b.model.plays(calls("bash", bash(`probe.echo {"key":"a"}`, `probe.echo {"key":"b"}`)), says("Two echoes."))
	id := b.ask("$1", "echo twice")
	b.ends(id, Answered)
	asked := b.model.asked()
	if len(asked[0].Tools) != 1 || asked[0].Tools[0].Name != "bash" {
		t.Errorf("the model has %v", asked[0].Tools)
	}
	system := asked[0].System
	if strings.Contains(system, "You watch.") || !strings.Contains(system, "in minimal mode") || !strings.Contains(system, "`probe`, `shell`") ||
		!strings.Contains(system, "`MEMORY.md`") || !strings.HasSuffix(system, "Be brief.") {
		t.Errorf("the prompt is\n%s", system)
	}
	if got := asked[1].Messages[2].Results()[0].Text; got != `completed "echo a"`+"\n"+`completed "echo b"` {
		t.Errorf("the model reads %q", got)
	}
	// The calls inside a command are shown under it (M20), and are no part of what
	// the model is told of its own calls.
	b.oneAnswer(id, "🔧 `bash` [1]\n🔧 `echo` [2]\n🔧 `echo` [3]\n\nTwo echoes.")
	trace := b.final(id)["io.mindroom.tool_trace"].(map[string]any)["events"].([]any)
	if len(trace) != 3 || trace[1].(map[string]any)["type"] != "tool_call_completed" || trace[1].(map[string]any)["result_preview"] != "echo a" {
		t.Errorf("the trace is %v", trace)
	}
	// Rules, hooks and records see the shell's function.
	var names []string
	for _, e := range b.audit.all() {
		names = append(names, e.Call.Name.String())
	}
	if got := strings.Join(names, " "); got != "probe.echo probe.echo shell.run_shell_command" {
		t.Errorf("the audit has %s", got)
	}
	if len(b.engine.owners) != 0 {
		t.Error("the door is left open")
	}
}

// Whatever else a model calls in minimal mode never runs, and it reads how to do
// better.
func TestMinimalModeHasOneTool(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ name, arguments, want string }{
		"another tool":  {"echo", `{"key":"a"}`, "your one tool is bash"},
		"its real name": {"run_shell_command", `{"args":"x"}`, "your one tool is bash"},
		"no command":    {"bash", `{}`, "command: expected a string"},
		"a list":        {"bash", `{"command":["ls"]}`, "command: expected a string"},
		"more":          {"bash", `{"command":"x","agent":"other"}`, "agent: bash has no such argument"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMinimal(t, mode.Minimal, nil)
			b.model.plays(calls(c.name, c.arguments), says("I see."))
			b.ends(b.ask("$1", "do it"), Answered)
			result := b.model.asked()[1].Messages[2].Results()[0]
			if !result.IsError || !strings.Contains(result.Text, c.want) || len(b.tools.ran) != 0 {
				t.Errorf("the model reads %q, ran %v", result.Text, b.tools.ran)
			}
		})
	}
}

// What minimal mode needs is looked at whenever a response is worked on; without
// it the provider hears nothing and no grant is made (M08).
func TestMinimalModeNeedsItsRequirements(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, func(p *Parts) { p.Deployment = nil })
	id := b.ask("$1", "hello")
	b.ends(id, Failed)
	said := b.said(id)
	for _, want := range []string{"--no-api", "`!mode watcher standard`", "**[Response interrupted by an error: "} {
		if !strings.Contains(said, want) {
			t.Errorf("the room reads %q, which lacks %q", said, want)
		}
	}
	if b.row(id).reason != string(ReasonMode) || len(b.model.asked()) != 0 {
		t.Errorf("ended for %s, the model was asked %d times", b.row(id).reason, len(b.model.asked()))
	}
}

// A response keeps the mode it started with, over a restart too (M06).
func TestAResponseKeepsItsMode(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, nil)
	reached := make(chan struct{})
	b.model.plays(hangs("Half", reached))
	id := b.ask("$1", "hello")
	<-reached
	parts := b.parts
	b.parts = func(p *Parts) { parts(p); p.Modes = nil }
	b.model.plays(says("Whole."))
	b.reopen()
	b.ends(id, Answered)
	if last := b.model.asked()[1]; len(last.Tools) != 1 || last.Tools[0].Name != "bash" {
		t.Errorf("it goes on with %v", last.Tools)
	}
}

// A process that is stopping opens no door any more: the response is left for the
// next one, and not failed.
func TestAMinimalResponseWhileTheProcessStops(t *testing.T) {
	t.Parallel()
	tried := make(chan struct{}, 1)
	b := newMinimal(t, mode.Minimal, func(p *Parts) {
		p.CLI = func(turncli.Opening) (CLIOwner, error) {
			tried <- struct{}{}
			return nil, turncli.ErrClosed
		}
	})
	id := b.ask("$1", "hello")
	<-tried
	b.idle()
	if s := b.row(id).state; s != Clean || len(b.model.asked()) != 0 {
		t.Errorf("the turn is %s, the model was asked %d times", s, len(b.model.asked()))
	}
}

// A picture that a call inside a command brought is the command's (M20).
func TestMediaOfACommand(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, func(p *Parts) {
		files, err := media.Open(media.Options{Folder: t.TempDir(), DB: p.DB})
		must(t, err)
		p.Media, p.Room.Keep = files, files.Keep
		p.Models = sighted(p.Models, model.Sight{Pictures: true})
	})
	b.model.plays(calls("bash", bash(`probe.picture {}`)), says("A cat."))
	b.ends(b.ask("$1", "draw"), Answered)
	result := b.model.asked()[1].Messages[2].Results()[0]
	if len(result.Media) != 1 || result.Media[0].Name != "cat.png" {
		t.Errorf("the model reads %+v", result)
	}
}

// Standard mode has mindroom-agent inside its shell commands where a shell command
// cannot wait for a person, and says so in its prompt; everything that may ask is
// the model's own to call (M15, M17, M18).
func TestStandardModeWithTheCLI(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Standard, nil)
	b.model.plays(calls("run_shell_command", `{"args":`+quoted("probe.echo {\"key\":\"a\"}\nprobe.gated {\"key\":\"g\"}")+`}`),
		calls("gated", `{"key":"g"}`), calls("run_shell_command", `{"args":"probe.echo {\"key\":\"b\"}"}`), says("Done."))
	id := b.ask("$1", "do it")
	b.parks(id)
	b.decides(b.cards(id)[0].Ref, approval.Approved, "")
	b.ends(id, Answered)
	asked := b.model.asked()
	if !strings.Contains(asked[0].System, "mindroom-agent") || len(asked[0].Tools) != 9 {
		t.Errorf("it begins with %d tools and the prompt\n%s", len(asked[0].Tools), asked[0].System)
	}
	if got := asked[1].Messages[2].Results()[0].Text; !strings.HasPrefix(got, `completed "echo a"`+"\nfailed ") || b.tools.times("g") != 1 {
		t.Errorf("the model reads %q, ran %v", got, b.tools.ran)
	}
	if strings.Contains(asked[2].System, "mindroom-agent") {
		t.Error("after it waited for a person the prompt still speaks of mindroom-agent")
	}
	if got := asked[3].Messages[6].Results()[0].Text; got != "there is no mindroom-agent" {
		t.Errorf("after it waited for a person a command has %q", got)
	}
}

// Where a shell command may wait for a person, or the deployment has no API, neither
// the program nor the sentence about it is there (M15, M18, M29).
func TestStandardModeWithoutTheCLI(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Parts){
		"shell commands may ask": func(p *Parts) { p.Room.Policy = testPolicy{} },
		"no API":                 func(p *Parts) { p.Deployment = nil },
		"the door cannot be opened": func(p *Parts) {
			p.CLI = func(turncli.Opening) (CLIOwner, error) { return nil, turncli.ErrClosed }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMinimal(t, mode.Standard, change)
			b.model.plays(calls("run_shell_command", `{"args":"probe.echo {}"}`), says("Done."))
			b.ends(b.ask("$1", "do it"), Answered)
			asked := b.model.asked()
			if got := asked[1].Messages[2].Results()[0].Text; strings.Contains(asked[0].System, "mindroom-agent") || got != "there is no mindroom-agent" {
				t.Errorf("a command has %q under the prompt\n%s", got, asked[0].System)
			}
		})
	}
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// What the model asked for is durable, whole, before a command has any effect
// (C25); the checkpoint is the provider's batch and not what a call made of it.
func TestTheBatchIsDurableBeforeACommand(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, nil)
	first, second := bash("hold"), `{"command": "hold",   "tail": 7}`
	b.model.plays(calls("bash", first, "bash", second), says("Done."))
	id := b.ask("$1", "do it")
	b.arrives()
	row := b.row(id)
	cp, err := decodeCheckpoint(row.checkpoint)
	must(t, err)
	if row.state != Dirty || cp.Phase != phaseBatch || cp.Mode != mode.Minimal || len(cp.Calls) != 2 ||
		cp.Calls[0].Call.Arguments != first || cp.Calls[1].Call.Arguments != second {
		t.Errorf("a command runs and the turn is %s with %+v", row.state, cp.Calls)
	}
	asked := cp.Messages[len(cp.Messages)-1].Calls()
	if len(asked) != 2 || string(asked[1].Arguments) != second || asked[1].Name != "bash" {
		t.Errorf("the transcript ends with %+v", asked)
	}
	close(b.tools.release)
	b.ends(id, Answered)
}

// Calls inside commands are counted apart from those of the model (M26).
func TestCallsOfCommandsAreCountedApart(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, func(p *Parts) {
		cfg, _, err := config.Parse("config.yaml", []byte(strings.Replace(shelled, "memory_backend: file", "memory_backend: file\n    max_tool_calls_per_turn: 2", 1)), p.Room.Registry, config.Env{})
		must(t, err)
		p.Config = config.NewHolder(cfg)
		p.Room.Config = p.Config
	})
	b.model.plays(calls("bash", bash(`probe.echo {"key":"a"}`, `probe.echo {"key":"b"}`, `probe.echo {"key":"c"}`)), calls("bash", bash("# nothing")), calls("bash", bash("# too many")), says("Done."))
	b.ends(b.ask("$1", "do it"), Answered)
	asked := b.model.asked()
	first, last := asked[1].Messages[2].Results()[0].Text, asked[3].Messages[6].Results()[0].Text
	if !strings.HasPrefix(first, "completed \"echo a\"\ncompleted \"echo b\"\nfailed ") || !strings.Contains(last, "has made its 2 tool calls") || b.tools.times("c") != 0 {
		t.Errorf("the model reads %q and %q", first, last)
	}
}
