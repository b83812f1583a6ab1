package wirekit

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mindroom/internal/canonical"
	pythonsdk "mindroom/sdk/python"
)

// BenchmarkSDKCall is one call from the SDK to a gateway that does nothing and answers at once: what the client costs, and so
// what a product's figure contains before the product has done anything. The time is the script's own.
func BenchmarkSDKCall(b *testing.B) {
	g := NewFakeGateway(Run{ID: "run", Token: "token", Tools: map[string]Tool{
		"kit.fn": func(context.Context, canonical.Doc) (json.RawMessage, *ReceiptError) {
			return json.RawMessage("null"), nil
		},
	}})
	defer g.Close()
	g.Hold = 10 * time.Second
	dir := b.TempDir()
	if err := pythonsdk.Lay(dir); err != nil {
		b.Fatal(err)
	}
	token := filepath.Join(dir, "capability")
	if err := os.WriteFile(token, []byte("token"), 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("python3", "-I", "-B", "-c", `
import sys, time
sys.path.insert(0, sys.argv[1])
from mindroom.script_sdk import MindRoomTools
tools, times = MindRoomTools(), []
tools.call("kit", "fn")
for n in range(int(sys.argv[2])):
    start = time.perf_counter()
    tools.call("kit", "fn", n=n)
    times.append(time.perf_counter() - start)
times.sort()
print(sum(times) / len(times), times[len(times) // 2], times[len(times) * 99 // 100])
`, dir, strconv.Itoa(b.N))
	cmd.Env = append(os.Environ(), "MINDROOM_SCRIPT_GATEWAY_URL="+g.URL(), "MINDROOM_SCRIPT_RUN_ID=run", "MINDROOM_SCRIPT_TOKEN_PATH="+token)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	fields := strings.Fields(string(output))
	for i, unit := range []string{"ns/op", "p50-µs/op", "p99-µs/op"} {
		seconds, err := strconv.ParseFloat(fields[i], 64)
		if err != nil {
			b.Fatal(err)
		}
		scale := 1e6
		if i == 0 {
			scale = 1e9
		}
		b.ReportMetric(seconds*scale, unit)
	}
}
