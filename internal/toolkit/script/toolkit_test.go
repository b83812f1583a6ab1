package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/tool"
	kit "mindroom/internal/toolkit/script"
)

// fake is a manager that remembers what it was asked.
type fake struct {
	launched []script.Request
	owner    script.Owner
	force    bool
	finished bool
	err      error
}

var aRun = &script.Run{
	ID: "script-00000000000000000000000000000001", Who: identity.InThread("watcher", "@anna:x", "!r:x", "$t"), Name: "page",
	State: script.Running, Local: true, MaxCallsPerMinute: 30, MaxRuntime: time.Hour, CreatedAt: time.Unix(0, 0),
	Error: strings.Repeat("e", 5000), Grants: []tool.Name{{Toolkit: "website", Function: "read_url"}},
}

func (f *fake) Launch(_ context.Context, r script.Request) (*script.Run, error) {
	f.launched = append(f.launched, r)
	return aRun, f.err
}
func (f *fake) Get(_ context.Context, o script.Owner, _ string) (*script.Run, string, script.Standing, error) {
	f.owner = o
	return aRun, "the output", script.Standing{CallCounts: script.CallCounts{Completed: 2}}, f.err
}
func (f *fake) List(_ context.Context, o script.Owner, finished bool) ([]*script.Run, error) {
	f.owner, f.finished = o, finished
	return []*script.Run{aRun}, f.err
}
func (f *fake) Cancel(_ context.Context, o script.Owner, _ string, force bool) (*script.Run, error) {
	f.owner, f.force = o, force
	return aRun, f.err
}

// functions builds the toolkit as an agent's settings say.
func functions(t *testing.T, runs kit.Runs, settings map[string]any) map[string]tool.Function {
	t.Helper()
	k := kit.New(func() kit.Runs { return runs })
	s, err := config.NewSettings(k.Fields, settings)
	if err != nil {
		t.Fatal(err)
	}
	built, err := k.Build(tool.Env{Agent: "watcher", Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]tool.Function{}
	for _, f := range built {
		out[f.Name.Function] = f
	}
	return out
}

// starter is the call that every test makes.
var starter = tool.Ref{Door: tool.DoorTurn, Owner: "turn-1", ID: "1.1.c"}

// call runs a function and takes its envelope apart.
func call(t *testing.T, f tool.Function, workspace, arguments string) map[string]any {
	t.Helper()
	doc, err := canonical.Parse([]byte(arguments), canonical.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out := f.Body.Run(t.Context(), tool.Invocation{Workspace: workspace, Call: tool.Call{
		Ref: starter, Name: f.Name, Args: doc, Depth: 2, Who: identity.InThread("watcher", "@anna:x", "!r:x", "$t"),
	}})
	if out.State != tool.StateCompleted {
		t.Fatalf("%s: %+v", f.Name, out)
	}
	var text string
	if err := json.Unmarshal(out.Value, &text); err != nil {
		t.Fatalf("the result is no string: %s", out.Value)
	}
	var body map[string]any
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatalf("the string is no JSON: %s", text)
	}
	return body
}

// TestFiveFunctions: exactly these, in this order, with the document's
// parameters (S86).
func TestFiveFunctions(t *testing.T) {
	t.Parallel()
	k := kit.New(func() kit.Runs { return nil })
	s, err := config.NewSettings(k.Fields, nil)
	if err != nil {
		t.Fatal(err)
	}
	built, err := k.Build(tool.Env{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name       string
		properties []string
		required   []string
	}{
		{"start_script", []string{"name", "path", "resource_profile", "source"}, nil},
		{"get_script_resource_profiles", nil, nil},
		{"get_script", []string{"run_id"}, []string{"run_id"}},
		{"cancel_script", []string{"force", "run_id"}, []string{"run_id"}},
		{"list_scripts", []string{"include_finished"}, nil},
	}
	if len(built) != len(want) {
		t.Fatalf("%d functions", len(built))
	}
	for i, w := range want {
		var schema struct {
			Properties map[string]struct{ Enum []any }
			Required   []string
		}
		if err := json.Unmarshal(built[i].Schema, &schema); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name := range schema.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		if built[i].Name.Function != w.name || !slices.Equal(names, w.properties) || !slices.Equal(schema.Required, w.required) {
			t.Errorf("%s takes %v, requires %v; want %+v", built[i].Name.Function, names, schema.Required, w)
		}
		if profile := schema.Properties["resource_profile"].Enum; w.name == "start_script" && len(profile) != 4 {
			t.Errorf("resource_profile is one of %v, want small, standard, large and null", profile)
		}
	}
}

func TestSettingsReachTheLaunch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings map[string]any
		want     script.Request
	}{
		"defaults (S03-S05)": {nil, script.Request{MaxConcurrent: 3, MaxCallsPerMinute: 30, MaxRuntime: 24 * time.Hour}},
		"given": {map[string]any{"allowed_tools": []string{"website"}, "max_concurrent_runs": int64(1), "max_tool_calls_per_minute": int64(7), "max_runtime_hours": 0.5},
			script.Request{Allowed: []string{"website"}, MaxConcurrent: 1, MaxCallsPerMinute: 7, MaxRuntime: 30 * time.Minute}},
		"shorter than a second": {map[string]any{"max_runtime_hours": 1e-9}, script.Request{MaxConcurrent: 3, MaxCallsPerMinute: 30, MaxRuntime: time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			call(t, functions(t, f, c.settings)["start_script"], "", `{"source":"print(1)","name":"n"}`)
			got := f.launched[0]
			if !slices.Equal(got.Allowed, c.want.Allowed) || got.MaxConcurrent != c.want.MaxConcurrent || got.MaxCallsPerMinute != c.want.MaxCallsPerMinute ||
				got.MaxRuntime != c.want.MaxRuntime || got.Name != "n" || got.Depth != 2 || got.LaunchedBy != starter || got.Who.Requester != "@anna:x" || string(got.Source.Bytes) != "print(1)" {
				t.Errorf("launched %+v", got)
			}
		})
	}
	for name, bad := range map[string]any{"zero": 0.0, "negative": -1.0} {
		if _, err := config.NewSettings(kit.New(nil).Fields, map[string]any{"max_runtime_hours": bad}); err == nil {
			t.Errorf("%s hours were accepted (S05)", name)
		}
	}
}

func TestEnvelopes(t *testing.T) {
	t.Parallel()
	f := &fake{}
	fs := functions(t, f, nil)
	for function, c := range map[string]struct{ arguments, action string }{
		"start_script": {`{"source":"x"}`, "run"}, "get_script": {`{"run_id":"r"}`, "status"}, "cancel_script": {`{"run_id":"r","force":true}`, "cancel"},
		"list_scripts": {`{"include_finished":false}`, "list"}, "get_script_resource_profiles": {`{}`, "resource_profiles"},
	} {
		body := call(t, fs[function], "", c.arguments)
		if body["status"] != "ok" || body["tool"] != "script" || body["action"] != c.action {
			t.Errorf("%s: %v", function, body)
		}
	}
	if f.owner != (script.Owner{Requester: "@anna:x", Agent: "watcher"}) || !f.force || f.finished {
		t.Errorf("asked as %+v, force %v, finished %v", f.owner, f.force, f.finished)
	}
	body := call(t, fs["get_script"], "", `{"run_id":"r"}`)
	run := body["run"].(map[string]any)
	if body["output"] != "the output" || run["calls"].(map[string]any)["completed"] != 2.0 || run["run_id"] != string(aRun.ID) {
		t.Errorf("get_script: %v", body)
	}
	listed := call(t, fs["list_scripts"], "", `{}`)["runs"].([]any)[0].(map[string]any)
	if n := len(listed["error"].(string)); n > 300 {
		t.Errorf("a list repeats %d bytes of a run's error", n)
	}
	profiles := call(t, fs["get_script_resource_profiles"], "", `{}`)
	if profiles["default_profile"] != nil || len(profiles["profiles"].(map[string]any)) != 0 {
		t.Errorf("profiles: %v (S25)", profiles)
	}
}

func TestRefusalsAreEnvelopes(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(workspace, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("large.py", strings.Repeat("#", script.MaxSource+1))
	write("empty.py", "")
	if err := os.Symlink("/etc/passwd", filepath.Join(workspace, "link.py")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(workspace, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(workspace, filepath.Join(workspace, "dirlink")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(workspace, "fifo.py"), 0o600); err != nil {
		t.Fatal(err)
	}
	fs := functions(t, &fake{}, nil)
	for name, c := range map[string]struct{ arguments, text string }{
		"neither (S21)":         {`{}`, "exactly one of source and path"},
		"both (S21)":            {`{"source":"x","path":"a.py"}`, "exactly one of source and path"},
		"empty counts as given": {`{"source":"","path":"a.py"}`, "exactly one"},
		"empty source":          {`{"source":""}`, "empty"},
		"too large (S23)":       {`{"source":"` + strings.Repeat("é", script.MaxSource/2+1) + `"}`, "131072"},
		"file too large":        {`{"path":"large.py"}`, "131072"},
		"file empty":            {`{"path":"empty.py"}`, "empty"},
		"absolute (S22)":        {`{"path":"/etc/passwd"}`, "absolute"},
		"escaping (S22)":        {`{"path":"sub/../../x.py"}`, "leaves the workspace"},
		"symlink (S22)":         {`{"path":"link.py"}`, "symbolic link"},
		"symlink on the way":    {`{"path":"dirlink/large.py"}`, "symbolic link"},
		"FIFO":                  {`{"path":"fifo.py"}`, "no regular file"},
		"folder":                {`{"path":"sub"}`, "no regular file"},
		"missing":               {`{"path":"nothing.py"}`, "does not exist"},
		"dot":                   {`{"path":"."}`, "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := call(t, fs["start_script"], workspace, c.arguments)
			if body["status"] != "error" || body["tool"] != "script" || body["kind"] != "invalid_source" || !strings.Contains(body["message"].(string), c.text) {
				t.Errorf("%v, want an error with %q", body, c.text)
			}
		})
	}
}

// TestPathIsASnapshot: what is launched is what the file held then (S22).
func TestPathIsASnapshot(t *testing.T) {
	t.Parallel()
	workspace := t.TempDir()
	path := filepath.Join(workspace, "watch.py")
	if err := os.WriteFile(path, []byte("print('first')"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &fake{}
	call(t, functions(t, f, nil)["start_script"], workspace, `{"path":"watch.py"}`)
	if err := os.WriteFile(path, []byte("print('second')"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := string(f.launched[0].Source.Bytes); got != "print('first')" {
		t.Errorf("launched %q", got)
	}
}

func TestManagersErrorsKeepTheirKind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err       error
		kind      string
		retryable bool
	}{
		"a refusal":      {&script.Error{Kind: script.KindConcurrent, Message: "too many"}, "concurrent_limit", false},
		"anything else":  {errors.New("disk"), "internal", true},
		"not yet proven": {&script.Error{Kind: script.KindUnconfirmed, Message: "wait", Retryable: true}, "termination_unconfirmed", true},
	} {
		body := call(t, functions(t, &fake{err: c.err}, nil)["cancel_script"], "", `{"run_id":"r"}`)
		if body["status"] != "error" || body["kind"] != c.kind || body["retryable"] != c.retryable {
			t.Errorf("%s: %v", name, body)
		}
	}
	body := call(t, functions(t, nil, nil)["list_scripts"], "", `{}`)
	if body["status"] != "error" || body["retryable"] != true {
		t.Errorf("a runtime that is not ready: %v", body)
	}
}
