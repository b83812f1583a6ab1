package turn

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/tool"
)

func TestBoundResult(t *testing.T) {
	t.Parallel()
	bound := boundResult(clock.Fixed(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)))
	in := func(workspace string) tool.Invocation {
		return tool.Invocation{Call: tool.Call{Name: tool.Name{Toolkit: "a", Function: "../read url"}}, Workspace: workspace}
	}
	long, err := json.Marshal(strings.Repeat("ü", 40<<10))
	must(t, err)
	read := func(t *testing.T, workspace string, value json.RawMessage) savedOutput {
		t.Helper()
		raw, fault := bound(context.Background(), in(workspace), value)
		if fault != nil {
			t.Fatal(fault)
		}
		var got struct {
			Output savedOutput `json:"mindroom_tool_output"`
		}
		must(t, json.Unmarshal(raw, &got))
		return got.Output
	}
	t.Run("within the bound", func(t *testing.T) {
		t.Parallel()
		value := json.RawMessage(`"` + strings.Repeat("x", resultBound-2) + `"`)
		raw, fault := bound(context.Background(), in(t.TempDir()), value)
		if fault != nil || string(raw) != string(value) {
			t.Errorf("changed to %.100s, %v", raw, fault)
		}
	})
	t.Run("twice in one instant", func(t *testing.T) {
		t.Parallel()
		workspace := t.TempDir()
		first, second := read(t, workspace, long), read(t, workspace, long)
		if first.Path == second.Path || first.Status != "saved_to_file" || !strings.HasPrefix(first.Path, outputFolder+"/20260301T120000") || !strings.HasSuffix(first.Path, "-0.txt") {
			t.Errorf("saved to %q and %q", first.Path, second.Path)
		}
		if len(first.Preview) > previewBytes || strings.Contains(first.Preview, "\uFFFD") || strings.Trim(first.Preview, "ü") != "" {
			t.Error("the preview has half a character")
		}
		info, err := os.Stat(filepath.Join(workspace, first.Path))
		must(t, err)
		if info.Mode().Perm() != 0o600 || info.Size() != 80<<10 {
			t.Errorf("the file has mode %v and %d bytes", info.Mode(), info.Size())
		}
	})
	t.Run("JSON stays JSON", func(t *testing.T) {
		t.Parallel()
		got := read(t, t.TempDir(), json.RawMessage(`[`+strings.Repeat("1,", 40<<10)+`1]`))
		if got.Format != "json" || !strings.HasSuffix(got.Path, ".json") {
			t.Errorf("saved as %+v", got)
		}
	})
	// The agent's own tools may put a link where the folder should be.
	t.Run("a link out of the workspace", func(t *testing.T) {
		t.Parallel()
		workspace, outside := t.TempDir(), t.TempDir()
		must(t, os.Symlink(outside, filepath.Join(workspace, outputFolder)))
		got := read(t, workspace, long)
		entries, err := os.ReadDir(outside)
		must(t, err)
		if len(entries) != 0 || got.Status != "not_saved" || got.Path != "" || got.Problem == "" || got.Preview == "" {
			t.Errorf("outside lie %v, the model reads %+v", entries, got)
		}
	})
	t.Run("no workspace", func(t *testing.T) {
		t.Parallel()
		if got := read(t, "", long); got.Status != "not_saved" || !strings.Contains(got.Problem, "no workspace") {
			t.Errorf("the model reads %+v", got)
		}
	})
}

func TestResultOf(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		out   tool.Outcome
		want  string
		fault bool
	}{
		"a string":      {tool.Completed(json.RawMessage(`"a \"b\""`)), `a "b"`, false},
		"an object":     {tool.Completed(json.RawMessage(`{"a":1}`)), `{"a":1}`, false},
		"null":          {tool.Completed(json.RawMessage(`null`)), `null`, false},
		"an empty text": {tool.Completed(json.RawMessage(`""`)), emptyResult, false},
		"a denial":      {tool.Failed(tool.Faultf(tool.FaultDenied, "Ann said no.")), "approval_denied: Ann said no. This is a decision and final: do not repeat the call and do not work around it.", true},
		"an expiry":     {tool.Failed(tool.Faultf(tool.FaultExpired, "Nobody decided.")), "approval_expired: Nobody decided. This is a decision and final: do not repeat the call and do not work around it.", true},
		"bad arguments": {tool.Failed(tool.Faultf(tool.FaultArguments, "a: expected string.")), "invalid_arguments: a: expected string. Correct the call and make it again if you still need it.", true},
		"not now":       {tool.Failed(&tool.Fault{Kind: tool.FaultUnavailable, Message: "Busy.", Retryable: true}), "runtime_failure: Busy. Making the call again later may succeed.", true},
		"a failure":     {tool.Failed(tool.Faultf(tool.FaultTool, "Broken.")), "tool_failure: Broken.", true},
		"no word":       {tool.Outcome{State: tool.StateFailed}, "failed: the call ended without saying why", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := resultOf(c.out); got.Text != c.want || got.IsError != c.fault {
				t.Errorf("the model reads %+v, want %q", got, c.want)
			}
		})
	}
}
