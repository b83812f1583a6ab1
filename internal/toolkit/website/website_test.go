package website

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// function builds read_url with the given settings.
func function(t *testing.T, settings map[string]any) tool.Function {
	t.Helper()
	kit := New(nil)
	s, err := config.NewSettings(kit.Fields, settings)
	if err != nil {
		t.Fatal(err)
	}
	functions, err := kit.Build(tool.Env{Agent: "watcher", Settings: s})
	if err != nil || len(functions) != 1 {
		t.Fatalf("Build = %d functions, %v", len(functions), err)
	}
	return functions[0]
}

func call(ctx context.Context, t *testing.T, f tool.Function, url string) tool.Outcome {
	t.Helper()
	args, err := canonical.FromValue(map[string]any{"url": url})
	if err != nil {
		t.Fatal(err)
	}
	return f.Body.Run(ctx, tool.Invocation{Call: tool.Call{Name: f.Name, Args: args}})
}

// Invariant 1, as the watcher of S40 relies on it.
func TestReadURL(t *testing.T) {
	t.Parallel()
	body := "state: green\n"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Hour).Format(http.TimeFormat))
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	f := function(t, map[string]any{"allow_private_addresses": true})
	first := call(t.Context(), t, f, s.URL+"/status.txt")
	want := `[{"content":"state: green\n","meta_data":{"url":"` + s.URL + `/status.txt"},"name":"` + s.URL + `/status.txt"}]`
	if first.State != tool.StateCompleted || string(first.Value) != want {
		t.Fatalf("outcome = %s %s %v\nwant %s", first.State, first.Value, first.Fault, want)
	}
	if again := call(t.Context(), t, f, s.URL+"/status.txt"); string(again.Value) != want {
		t.Errorf("an unchanged page gives %s", again.Value)
	}
	body = "state: red\n"
	if changed := call(t.Context(), t, f, s.URL+"/status.txt"); !strings.Contains(string(changed.Value), "red") {
		t.Errorf("a changed page gives %s", changed.Value)
	}
	if f.Class != tool.Shared {
		t.Error("reading is not shared")
	}
}

func TestSettingsApply(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-r.Context().Done()
			return
		}
		io.WriteString(w, "0123456789")
	}))
	t.Cleanup(s.Close)
	for name, c := range map[string]struct {
		settings   map[string]any
		path, want string
	}{
		"private by default": {nil, "/", "allow_private_addresses"},
		"bytes":              {map[string]any{"allow_private_addresses": true, "max_bytes": int64(9)}, "/", "max_bytes"},
		"timeout":            {map[string]any{"allow_private_addresses": true, "timeout_seconds": 0.2}, "/slow", "timeout_seconds"},
		"within both":        {map[string]any{"allow_private_addresses": true, "max_bytes": int64(10)}, "/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := call(t.Context(), t, function(t, c.settings), s.URL+c.path)
			if c.want == "" {
				if out.State != tool.StateCompleted {
					t.Errorf("outcome = %s %v", out.State, out.Fault)
				}
				return
			}
			if out.State != tool.StateFailed || out.Fault.Kind != tool.FaultTool || !strings.Contains(out.Fault.Message, c.want) {
				t.Errorf("outcome = %s %v, want a tool_failure about %s", out.State, out.Fault, c.want)
			}
		})
	}
}

// Invariant 2.
func TestInterruptedReadFailed(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() }))
	t.Cleanup(s.Close)
	out := call(ctx, t, function(t, map[string]any{"allow_private_addresses": true}), s.URL)
	if out.State != tool.StateFailed || out.Fault.Kind != tool.FaultTool || !out.Fault.Retryable {
		t.Errorf("outcome = %s %+v, want failed and retryable", out.State, out.Fault)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	f := function(t, nil)
	for _, part := range []string{`"required":["url"]`, `"additionalProperties":false`, `"type":"object"`} {
		if !strings.Contains(string(f.Schema), part) {
			t.Errorf("the schema %s lacks %s", f.Schema, part)
		}
	}
}
