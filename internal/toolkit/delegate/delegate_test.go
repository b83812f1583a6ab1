package delegate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/mode"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a house of subagents that remembers what it was asked.
type fake struct {
	task    turn.Task
	id, say string
	reports []turn.Report
	err     error
	minimal []string
}

func (f *fake) first() (turn.Report, error) {
	if len(f.reports) == 0 {
		return turn.Report{}, f.err
	}
	return f.reports[0], f.err
}

func (f *fake) RunSubagent(_ context.Context, _ tool.Invocation, t turn.Task) (turn.Report, error) {
	f.task = t
	return f.first()
}

func (f *fake) ContinueSubagent(_ context.Context, _ tool.Invocation, id, message string) (turn.Report, error) {
	f.id, f.say = id, message
	return f.first()
}

func (f *fake) Subagents(context.Context, tool.Invocation) ([]turn.Report, error) {
	return f.reports, f.err
}

func (f *fake) StopSubagent(_ context.Context, _ tool.Invocation, id string) (turn.Report, error) {
	f.id = id
	return f.first()
}

func (f *fake) CanBeMinimal(_ *config.Snapshot, agent string) bool {
	return slices.Contains(f.minimal, agent)
}

const house = `
models: {default: {provider: scripted, id: x}}
agents:
  lead: {display_name: Lead, delegate_to: [scout, lead], background_jobs: true}
  boss: {display_name: Boss, delegate_to: [scout]}
  scout: {display_name: Scout}
authorization: {default_room_access: true}
`

// surfaces are the tools of agents in one house.
func surfaces(t *testing.T, f *fake) func(agent string) *tool.Surface {
	t.Helper()
	registry, err := tool.NewRegistry(New(func() Children {
		if f == nil {
			return nil
		}
		return f
	}))
	if err != nil {
		t.Fatal(err)
	}
	c, warnings, err := config.Parse("/config.yaml", []byte(house), registry, config.Env{})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	snap := config.NewHolder(c).Current()
	return func(agent string) *tool.Surface {
		s, err := registry.Surface(snap, agent)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func call(t *testing.T, s *tool.Surface, function, args string) tool.Outcome {
	t.Helper()
	doc, err := canonical.Parse([]byte(args), canonical.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	f := s.Bare(function)
	if f == nil {
		t.Fatalf("there is no %s", function)
	}
	return f.Body.Run(t.Context(), tool.Invocation{Call: tool.Call{Name: f.Name, Args: doc}})
}

// Each agent is offered what can succeed for it, in the schema and in words, and
// nobody's offer changes another's (M11).
func TestOffers(t *testing.T) {
	t.Parallel()
	arguments := func(s *tool.Surface) (names []string, whole string) {
		f := s.Bare("run_subagent")
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal(f.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		return names, f.Description + string(f.Schema)
	}
	for name, c := range map[string]struct {
		minimal []string
		agent   string
		want    []string
		says    string
	}{
		"everything":        {[]string{"scout"}, "lead", []string{"agent_name", "background", "minimal", "model", "profile", "system_prompt", "task", "tools"}, "Possible for: scout."},
		"nothing minimal":   {nil, "lead", []string{"agent_name", "background", "model", "profile", "system_prompt", "task", "tools"}, "scout, lead"},
		"one other agent":   {nil, "boss", []string{"agent_name", "model", "task"}, "Agents you may use: scout."},
		"that one, minimal": {[]string{"scout"}, "boss", []string{"agent_name", "minimal", "model", "task"}, "Possible for: scout."},
		"somebody else's":   {[]string{"lead"}, "boss", []string{"agent_name", "model", "task"}, "scout"},
	} {
		of := surfaces(t, &fake{minimal: c.minimal})
		of("lead") // what was made before for others makes no difference
		got, whole := arguments(of(c.agent))
		if !slices.Equal(got, c.want) || !strings.Contains(whole, c.says) {
			t.Errorf("%s: it takes %v and says %s", name, got, whole)
		}
		if strings.Contains(strings.ToLower(whole), "minimal") != slices.Contains(c.want, "minimal") {
			t.Errorf("%s: schema and description do not agree: %s", name, whole)
		}
	}
	if s := surfaces(t, &fake{})("scout"); len(s.Functions()) != 0 {
		t.Errorf("an agent without delegate_to has %d functions", len(s.Functions()))
	}
}

// Only the model itself may call these where it has them, and they wait for calls of
// their own (M17).
func TestAllAreNativeAndOuter(t *testing.T) {
	t.Parallel()
	s := surfaces(t, &fake{})("lead")
	if len(s.Functions()) != 4 {
		t.Fatalf("%d functions", len(s.Functions()))
	}
	for _, f := range s.Functions() {
		if !f.Native || f.Class != tool.Outer || f.Confirm {
			t.Errorf("%s: native %v, class %v", f.Name, f.Native, f.Class)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	f := &fake{reports: []turn.Report{{ID: "sub-1", State: turn.SubagentCompleted, Result: "Found."}}, minimal: []string{"lead"}}
	s := surfaces(t, f)("lead")
	out := call(t, s, "run_subagent", `{"task":"look","agent_name":"lead","model":"m","minimal":true,"system_prompt":"Be {x}.","tools":[],"background":true}`)
	if string(out.Value) != `{"result":"Found.","status":"completed","subagent_id":"sub-1"}` {
		t.Errorf("it returns %s, %v", out.Value, out.Fault)
	}
	if got := f.task; got.Text != "look" || got.Agent != "lead" || got.Model != "m" || !got.Minimal || got.Prompt != "Be {x}." || got.Tools == nil || len(got.Tools) != 0 || !got.Background {
		t.Errorf("it asks for %+v", got)
	}
	call(t, s, "run_subagent", `{"task":"look","agent_name":null,"tools":null}`)
	if got := f.task; got.Agent != "" || got.Tools != nil || got.Background || got.Minimal {
		t.Errorf("left out is %+v", got)
	}
	call(t, s, "continue_subagent", `{"subagent_id":"sub-1","message":"on"}`)
	call(t, s, "stop_subagent", `{"subagent_id":"sub-2"}`)
	if f.id != "sub-2" || f.say != "on" {
		t.Errorf("it asks for %q, %q", f.id, f.say)
	}
}

// A refusal is an answer; everything else that goes wrong is a failure.
func TestRefusalIsAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		state tool.State
		says  string
	}{
		"refused": {&turn.Refusal{Text: "Not that one."}, tool.StateCompleted, `"Not that one."`},
		"a fault": {tool.Faultf(tool.FaultTool, "cannot be minimal"), tool.StateFailed, "cannot be minimal"},
		"broken":  {errors.New("the disk is full"), tool.StateFailed, "the disk is full"},
	} {
		out := call(t, surfaces(t, &fake{err: c.err})("lead"), "run_subagent", `{"task":"look"}`)
		said := string(out.Value)
		if out.Fault != nil {
			said = out.Fault.Message
		}
		if out.State != c.state || said != c.says {
			t.Errorf("%s: %s %s", name, out.State, said)
		}
	}
	if out := call(t, surfaces(t, nil)("lead"), "list_subagents", `{}`); out.Fault == nil || !out.Fault.Retryable {
		t.Errorf("before the runtime is ready: %+v", out)
	}
}

// A list shows beginnings; one alone is shown whole.
func TestList(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 1000)
	f := &fake{reports: []turn.Report{
		{ID: "sub-1", Agent: "scout", Mode: mode.Minimal, State: turn.SubagentCompleted, Result: long}, {ID: "sub-2", Agent: "lead", Mode: mode.Standard, State: turn.SubagentRunning, Background: true},
	}}
	list := func(args string) (all struct{ Subagents []entry }) {
		out := call(t, surfaces(t, f)("lead"), "list_subagents", args)
		if err := json.Unmarshal(out.Value, &all); err != nil {
			t.Fatal(err, out.Fault)
		}
		return all
	}
	all := list(`{}`).Subagents
	if len(all) != 2 || all[0].Result == long || !strings.HasSuffix(all[0].Result, "…") || all[0].Mode != "minimal" || all[1].Status != "running" || !all[1].Background {
		t.Errorf("the list is %+v", all)
	}
	if one := list(`{"subagent_id":"sub-1"}`).Subagents; len(one) != 1 || one[0].Result != long {
		t.Errorf("one alone is %d entries", len(one))
	}
	if none := call(t, surfaces(t, &fake{})("lead"), "list_subagents", `{}`); string(none.Value) != `{"subagents":[]}` {
		t.Errorf("none are %s", none.Value)
	}
}
