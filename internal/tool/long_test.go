package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/clock"
)

func TestLongResult(t *testing.T) {
	t.Parallel()
	const resultBound = 50 << 10
	bound := Long{Bytes: resultBound, Wall: clock.Fixed(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}.Bound
	in := func(workspace string) Invocation {
		return Invocation{Call: Call{Name: Name{Toolkit: "a", Function: "../read url"}}, Workspace: workspace}
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

// What stands in the place of a long result is within the bound itself, however
// much its beginning grows by escapes.
func TestLongResultOfEscapes(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\x01", 40<<10)
	value, err := json.Marshal(text)
	must(t, err)
	workspace := t.TempDir()
	raw, fault := Long{Bytes: 16 << 10}.Bound(context.Background(), Invocation{Workspace: workspace}, value)
	if fault != nil || len(raw) > 16<<10 {
		t.Fatalf("%d bytes, %v", len(raw), fault)
	}
	var got struct {
		Output savedOutput `json:"mindroom_tool_output"`
	}
	must(t, json.Unmarshal(raw, &got))
	saved, err := os.ReadFile(filepath.Join(workspace, got.Output.Path))
	must(t, err)
	if string(saved) != text || got.Output.Preview == "" {
		t.Errorf("saved %d bytes, a preview of %d", len(saved), len(got.Output.Preview))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
