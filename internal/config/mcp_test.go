package config

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A server is a toolkit that an agent may name, with what the file says and the defaults.
func TestMCPServers(t *testing.T) {
	t.Parallel()
	text := strings.Replace(minimal, "agents:", `mcp_servers:
  files: {command: bin/files, args: [a], cwd: data, env: {KEY: "${UNSET_KEY}"}, include_tools: [read]}
  far: {url: "https://x.example/mcp", headers: {Authorization: "Bearer x"}, tool_prefix: f, call_timeout_seconds: 5, enabled: false}
defaults: {tools: [mcp_files]}
agents:`, 1)
	cfg, warnings, err := Parse("/etc/room/config.yaml", []byte(text), toolkits(), Env{})
	if err != nil {
		t.Fatal(err)
	}
	files, far := cfg.MCPServers["files"], cfg.MCPServers["far"]
	if files.Command != "/etc/room/bin/files" || files.Dir != "/etc/room/data" || files.Prefix != "files" || !files.Enabled ||
		files.Startup != 20*time.Second || files.Timeout != 2*time.Minute || !slices.Equal(files.Include, []string{"read"}) {
		t.Errorf("files = %+v", files)
	}
	if far.Enabled || far.Prefix != "f" || far.Timeout != 5*time.Second || far.Headers["Authorization"] != "Bearer x" {
		t.Errorf("far = %+v", far)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].String(), "UNSET_KEY is not set") {
		t.Errorf("warnings = %v", warnings)
	}
	entries := cfg.EffectiveTools(cfg.AgentNames()[0])
	if !slices.ContainsFunc(entries, func(e ToolEntry) bool { return e.Name == "mcp_files" }) {
		t.Errorf("the agent has %v", entries)
	}
	if _, _, err := Parse("config.yaml", []byte(strings.Replace(text, "[mcp_files]", "[mcp_other]", 1)), toolkits(), Env{}); err == nil || !strings.Contains(err.Error(), `unknown tool "mcp_other"`) {
		t.Errorf("a server that is not there: %v", err)
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	get := func(name string) string { return map[string]string{"A": "1"}[name] }
	if got, missing := Fill("x${A}$A${B}", get); got != "x1$A" || !slices.Equal(missing, []string{"B"}) {
		t.Errorf("Fill = %q, %v", got, missing)
	}
}
