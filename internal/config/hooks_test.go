package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestToolHooks(t *testing.T) {
	t.Parallel()
	env, err := ReadEnv(t.TempDir(), func(name string) (string, bool) { return "s3cret", name == "HOOK_SECRET" })
	if err != nil {
		t.Fatal(err)
	}
	c, warnings, err := Parse("/etc/mindroom/config.yaml", []byte(minimal+`
tool_hooks:
  - {event: "tool:before_call", run: [hooks/check.py, --strict]}
  - {event: "tool:before_call", match: ["send_*", x], run: [jq, .], name: Filter, timeout_seconds: 0.5, on_error: allow}
  - {event: "tool:after_call", url: "https://hooks.example.org/told?key=x", secret_env: HOOK_SECRET}
  - {event: "tool:after_call", url: "http://127.0.0.1:99", secret_env: ANOTHER}
`), toolkits(), env)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"*"}
	want := []ToolHook{
		{Name: "check.py", Match: all, Run: []string{"/etc/mindroom/hooks/check.py", "--strict"}, Timeout: 5 * time.Second},
		{Name: "Filter", Match: []string{"send_*", "x"}, Run: []string{"jq", "."}, Timeout: time.Second / 2, AllowOn: true},
		{Name: "hooks.example.org/told", After: true, Match: all, URL: "https://hooks.example.org/told?key=x", Timeout: 5 * time.Second, SecretEnv: "HOOK_SECRET"},
		{Name: "127.0.0.1:99", After: true, Match: all, URL: "http://127.0.0.1:99", Timeout: 5 * time.Second, SecretEnv: "ANOTHER"},
	}
	for i := range want {
		want[i].Dir = "/etc/mindroom"
	}
	if diff := cmp.Diff(want, c.ToolHooks, cmpopts.IgnoreFields(ToolHook{}, "Pos")); diff != "" {
		t.Error(diff)
	}
	if len(warnings) != 1 || warnings[0].Path != "tool_hooks[3].secret_env" {
		t.Errorf("a variable that is not set: %v", warnings)
	}
}
