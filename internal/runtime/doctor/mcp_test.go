package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/test/binary"
)

// counter is a server that speaks just enough of the protocol to list two tools.
const counter = `
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "counter", "version": "1"}}
    elif m.get("method") == "tools/list":
        r = {"tools": [{"name": n, "description": n, "inputSchema": {"type": "object"}} for n in ("one", "two")]}
    elif "id" in m:
        r = {}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
`

// Every enabled server is tried, and nothing of it is left; one that is down is a
// warning that names where to mend it. Not parallel: the supervisor of the programs
// is found by the process's own environment.
func TestServers(t *testing.T) {
	b := newBody(t)
	if err := binary.Build(t.Context(), b.dir, "mindroom-supervise"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("MINDROOM_SUPERVISE", filepath.Join(b.dir, "mindroom-supervise"))
	program := filepath.Join(b.dir, "counter.py")
	if err := os.WriteFile(program, []byte(counter), 0o600); err != nil {
		t.Fatal(err)
	}
	b.config += `
mcp_servers:
  good: {command: python3, args: [` + program + `]}
  gone: {command: /nowhere/server}
  off: {command: /nowhere/either, enabled: false}
`
	found := b.patient().servers(t.Context())
	if len(found) != 2 {
		t.Fatalf("%+v", found)
	}
	gone, good := found[0], found[1]
	if good.Check != "MCP server good" || good.Status != OK || good.Found != "answers, with 2 functions" {
		t.Errorf("%+v", good)
	}
	if gone.Check != "MCP server gone" || gone.Status != Warn || !strings.Contains(gone.Found, "/nowhere/server") || !strings.Contains(gone.Fix, "mcp_servers.gone") {
		t.Errorf("%+v", gone)
	}
	links, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if raw, err := os.ReadFile(link); err == nil && strings.Contains(string(raw), program) {
			t.Errorf("%s is left: %q", link, raw)
		}
	}
}

// Without servers there is nothing to tell.
func TestNoServers(t *testing.T) {
	t.Parallel()
	if found := newBody(t).patient().servers(t.Context()); found != nil {
		t.Errorf("%+v", found)
	}
}
