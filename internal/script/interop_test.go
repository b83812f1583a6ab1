package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/script"
	"mindroom/internal/wirekit"
)

// TestPublicClientWorksUnmodified: a script written for the public SDK, with that
// SDK's behaviour on the wire, works against this gateway as it is.
func TestPublicClientWorksUnmodified(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	dir := t.TempDir()
	must(t, wirekit.LayPublicClient(dir))
	program := filepath.Join(dir, "program.py")
	must(t, os.WriteFile(program, []byte(`
from mindroom.script_sdk import MindRoomTools, MindRoomToolCallError
tools = MindRoomTools()
print(tools.call("probe", "echo", text="hello"))
print(tools.call("probe", "value", value={"f": 1e16, "i": 2**70, "t": "é\u2028<&>", "n": [1, 1.0, -0.0, None, True]}))
for function, arguments in (("fail", {}), ("confirm", {}), ("large", {}), ("nothing", {})):
    try:
        print("no error", function, tools.call("probe", function, **arguments))
    except MindRoomToolCallError as e:
        print(function, e.kind, e.retryable, len(e.call_id))
`), 0o600))
	cmd := exec.Command("python3", program)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir, "MINDROOM_SCRIPT_GATEWAY_URL="+h.server.URL+script.GatewayPath,
		"MINDROOM_SCRIPT_RUN_ID="+string(run.ID),
		"MINDROOM_SCRIPT_TOKEN_PATH="+filepath.Join(h.storage, "script_runs", string(run.ID), "capability"))
	out, err := cmd.CombinedOutput()
	want := strings.Join([]string{
		"hello",
		"{'f': 1e+16, 'i': 1180591620717411303424, 'n': [1, 1.0, -0.0, None, True], 't': 'é\\u2028<&>'}",
		"fail tool_failure False 32",
		"confirm approval_denied False 32",
		"large result_too_large False 32",
		"nothing request_rejected False 32", "",
	}, "\n")
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}
