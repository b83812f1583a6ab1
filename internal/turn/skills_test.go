package turn

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/mode"
	"mindroom/internal/tool"
)

// skilled are agents that are given skills; the watcher can write its own too.
const skilled = `
models:
  default: {provider: scripted, id: demo}
agents:
  watcher: {display_name: Watcher, role: You watch., instructions: [Look twice.], memory_backend: file, skills: [greet], tools: [probe, shell], delegate_to: [helper, watcher]}
  helper: {display_name: Helper, role: You help., skills: [count], tools: [probe]}
authorization: {default_room_access: true}
`

// skills are the folders of the operator and of the workspace, and what the log says.
type skills struct {
	t   *testing.T
	dir string
	mu  sync.Mutex
	log bytes.Buffer
}

func newSkills(t *testing.T) *skills {
	s := &skills{t: t, dir: t.TempDir()}
	s.put("skills/greet", "Greets people.", "Say hello.")
	s.put("skills/count", "Counts things.", "Say one.")
	return s
}

// Write is the log's.
func (s *skills) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}

func (s *skills) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// put writes the SKILL.md of a folder.
func (s *skills) put(folder, description, instructions string) {
	s.t.Helper()
	at := filepath.Join(s.dir, folder)
	must(s.t, os.MkdirAll(at, 0o700))
	text := "---\nname: " + filepath.Base(folder) + "\ndescription: " + description + "\n---\n" + instructions + "\n"
	must(s.t, os.WriteFile(filepath.Join(at, "SKILL.md"), []byte(text), 0o600))
}

// parts lets an engine find them.
func (s *skills) parts(p *Parts) {
	cfg, _, err := config.Parse(filepath.Join(s.dir, "config.yaml"), []byte(skilled), p.Room.Registry, config.Env{})
	must(s.t, err)
	p.Config = config.NewHolder(cfg)
	p.Room.Config = p.Config
	p.Room.Workspace = func(_ *config.Snapshot, who identity.Execution) string {
		return filepath.Join(s.dir, "of-"+who.Agent)
	}
	p.Log = slog.New(slog.NewTextHandler(s, nil))
}

const readsGreet = `{"name":"greet"}`

// names are the functions that a request offers.
func names(m *fakeModel, request int) string {
	var all []string
	for _, t := range m.asked()[request].Tools {
		all = append(all, t.Name)
	}
	return strings.Join(all, " ")
}

// In standard mode a prompt lists skills, what they say is read by a call, and each
// response finds them as they are; one that has none has neither list nor function
// (M14, spec/runtime.md 7.2).
func TestSkillsInStandardMode(t *testing.T) {
	t.Parallel()
	s := newSkills(t)
	b := newMinimalOf(t, skilled, mode.Standard, s.parts)
	b.model.plays(calls("read_skill", readsGreet), says("Hello."), says("Later."), says("None."))
	b.ends(b.askIn("$one", "$1", "greet me"), Answered)
	asked := b.model.asked()
	if !strings.Contains(asked[0].System, "\n- greet: Greets people.\n") || strings.Contains(asked[0].System, "Say hello.") || !strings.Contains(names(b.model, 0), "read_skill") {
		t.Errorf("it begins with %s and the prompt\n%s", names(b.model, 0), asked[0].System)
	}
	if got := b.result(1, 0); !strings.Contains(got, `"text":"Say hello."`) {
		t.Errorf("the model reads %q", got)
	}

	s.put("skills/greet", "Greets in German.", "Say hallo.")
	s.put("of-watcher/skills/mine", "Does mine.", "Do it.")
	s.put("of-watcher/skills/greet", "Steals the name.", "Take it.")
	b.ends(b.askIn("$two", "$2", "and now?"), Answered)
	later := b.model.asked()[2].System
	if !strings.Contains(later, "\n- greet: Greets in German.\n- mine: Does mine.\n") || strings.Contains(later, "Steals") {
		t.Errorf("the next prompt is\n%s", later)
	}
	if log := s.logged(); !strings.Contains(log, "workspace's skill greet: the configuration gives the agent a skill of this name") {
		t.Errorf("the log says\n%s", log)
	}

	must(t, os.RemoveAll(filepath.Join(s.dir, "skills")))
	must(t, os.RemoveAll(filepath.Join(s.dir, "of-watcher")))
	b.ends(b.askIn("$three", "$3", "and now?"), Answered)
	if last := b.model.asked()[3]; strings.Contains(last.System, "read_skill") || strings.Contains(last.System, "Skills, each") || strings.Contains(names(b.model, 3), "read_skill") {
		t.Errorf("without any it has %s and the prompt\n%s", names(b.model, 3), last.System)
	}
	if log := s.logged(); !strings.Contains(log, "operator's skill greet: there is no folder skills/") {
		t.Errorf("the log says\n%s", log)
	}
}

// In minimal mode the prompt says nothing of them but their toolkit; they are documents,
// and their function is reached from Bash (spec/agentcli.md 4.2, 4.5).
func TestSkillsInMinimalMode(t *testing.T) {
	t.Parallel()
	s := newSkills(t)
	s.put("of-watcher/skills/mine", "Does mine.", "Do it.")
	var doors openings
	b := newMinimalOf(t, skilled, mode.Minimal, func(p *Parts) { s.parts(p); doors.record(p) })
	b.model.plays(calls("bash", bash(`agent.read_skill `+readsGreet)), says("Hello."))
	b.ends(b.ask("$1", "greet me"), Answered)
	asked := b.model.asked()
	if sys := asked[0].System; strings.Contains(sys, "greet") || strings.Contains(sys, "mine") || !strings.Contains(sys, "Toolkits: `agent`, ") {
		t.Errorf("the prompt is\n%s", sys)
	}
	if got := b.result(1, 0); !strings.Contains(got, "completed") || !strings.Contains(got, "Say hello.") {
		t.Errorf("a command reads %q", got)
	}
	got := documentsOf(&doors)
	if got["skill-1"] != "# greet\n\nGreets people.\n\nSay hello." || got["skill-2"] != "# mine\n\nDoes mine.\n\nDo it." || !strings.Contains(got["agent-context"], "\n- greet: Greets people.\n") {
		t.Errorf("its documents are %v", got)
	}
}

// documentsOf are the documents of the watcher's response in minimal mode, by name.
func documentsOf(doors *openings) map[string]string {
	all := map[string]string{}
	for _, d := range doors.of("watcher").Documents {
		all[d.Name] = d.Text
	}
	return all
}

// An authored minimal subagent keeps its caller's skills, whatever tools it is given:
// as documents, beside its own prompt and nothing of its caller's role (M14).
func TestAMinimalAuthoredSubagentKeepsSkills(t *testing.T) {
	t.Parallel()
	s := newSkills(t)
	s.put("of-watcher/skills/mine", "Does mine.", "Do it.")
	var doors openings
	b := newMinimalOf(t, skilled, mode.Standard, func(p *Parts) { s.parts(p); doors.record(p) })
	b.model.plays(
		calls("run_subagent", `{"task":"x","minimal":true,"prompt":"You are a clerk.","tools":["shell.run_shell_command"]}`),
		calls("bash", bash(`agent.read_skill `+readsGreet, `probe.echo {"key":"a"}`)), says("Hello."), says("So."))
	b.ends(b.ask("$1", "please"), Answered)
	if sys := b.model.asked()[1].System; !strings.HasPrefix(sys, "You are a clerk.\n") || !strings.Contains(sys, "Toolkits: `agent`, `shell`.") || strings.Contains(sys, "greet") {
		t.Errorf("its prompt is\n%s", sys)
	}
	if got := b.result(2, 0); !strings.Contains(got, "Say hello.") || !strings.Contains(got, "failed ") || b.tools.times("a") != 0 {
		t.Errorf("a command reads %q", got)
	}
	got := documentsOf(&doors)
	if got["role"] != "You are a clerk." || got["instructions"] != "" || !strings.HasSuffix(got["skill-1"], "Say hello.") || !strings.HasSuffix(got["skill-2"], "Do it.") {
		t.Errorf("its documents are %v", got)
	}
	for name, text := range got {
		if strings.Contains(text, "You watch.") || strings.Contains(text, "Look twice.") {
			t.Errorf("%s holds what its caller is:\n%s", name, text)
		}
	}
}

// Where a rule may ask about the function, a minimal subagent does not have it, and reads
// its skills as documents all the same (M12, M14).
func TestSkillsOfWhoCannotBeAsked(t *testing.T) {
	t.Parallel()
	s := newSkills(t)
	var doors openings
	b := newMinimalOf(t, skilled, mode.Standard, func(p *Parts) { s.parts(p); doors.record(p); p.Room.Policy = asksOfSkills{p.Room.Policy} })
	b.model.plays(
		calls("run_subagent", `{"task":"x","minimal":true,"prompt":"You are a clerk.","tools":["shell"]}`),
		calls("bash", bash(`agent.read_skill `+readsGreet)), says("Hello."), says("So."))
	b.ends(b.ask("$1", "please"), Answered)
	if got := b.result(2, 0); !strings.HasPrefix(got, "failed ") || strings.Contains(b.model.asked()[1].System, "`agent`") {
		t.Errorf("a command reads %q", got)
	}
	if got := documentsOf(&doors); !strings.HasSuffix(got["skill-1"], "Say hello.") || strings.Contains(got["agent-context"], "read_skill") {
		t.Errorf("its documents are %v", got)
	}
}

// asksOfSkills is a policy that asks a person about read_skill.
type asksOfSkills struct{ tool.Policy }

func (p asksOfSkills) Might(snap *config.Snapshot, f *tool.Function) bool {
	return f.Name == readSkill || p.Policy.Might(snap, f)
}

// An authored subagent without any tool keeps its skills and the function that reads
// them; another agent has its own and not its caller's.
func TestSkillsOfStandardSubagents(t *testing.T) {
	t.Parallel()
	s := newSkills(t)
	b := newMinimalOf(t, skilled, mode.Standard, s.parts)
	b.model.plays(
		calls("run_subagent", `{"task":"x","prompt":"You are a clerk.","tools":[]}`), calls("read_skill", readsGreet), says("Hello."),
		calls("run_subagent", `{"task":"x","agent":"helper"}`), calls("read_skill", readsGreet), says("One."), says("So."))
	b.ends(b.ask("$1", "please"), Answered)
	asked := b.model.asked()
	if got := names(b.model, 1); got != "read_skill" || !strings.Contains(asked[1].System, "\n- greet: Greets people.") || strings.Contains(asked[1].System, "You watch.") {
		t.Errorf("the authored one has %s and the prompt\n%s", got, asked[1].System)
	}
	if got := b.result(2, 0); !strings.Contains(got, "Say hello.") {
		t.Errorf("the authored one reads %q", got)
	}
	if sys := asked[4].System; !strings.Contains(sys, "\n- count: Counts things.") || strings.Contains(sys, "greet") || strings.Contains(sys, "skills/NAME") {
		t.Errorf("the other agent has the prompt\n%s", sys)
	}
	if got := b.result(5, 0); !strings.Contains(got, "you have: count") {
		t.Errorf("the other agent reads %q", got)
	}
}
