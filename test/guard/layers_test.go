package guard

import "testing"

// layers are the braces, from the top down. An import points to a lower line,
// never up and never to a neighbour on its own line. An entry stands for its
// whole tree; a/* stands for each folder of a by itself, so that those are
// neighbours too.
var layers = []string{
	"cmd/*",
	"internal/runtime internal/runner",
	"internal/toolkit/* internal/control internal/explain internal/retention internal/backup",
	"internal/turn internal/script internal/dispatch internal/command internal/matrix internal/worker/* internal/httpapi internal/dashboard",
	"internal/turncli",
	"internal/approval internal/interactive internal/authz internal/hooks internal/audit internal/mode internal/prompt internal/worker internal/model/*",
	"internal/tool internal/skill",
	"internal/chat internal/model internal/config internal/supervise internal/media/scale",
	"internal/media internal/message internal/memory internal/contextfile",
	"internal/store internal/agentcli",
	"internal/identity internal/canonical internal/secret internal/lifecycle internal/clock internal/excerpt internal/sibling internal/unread sdk/python",
}

// joints are imports between neighbours that were decided on.
var joints = []struct{ from, to, why string }{
	{"internal/model/*", "internal/model/wire", "what every provider over HTTP does alike"},
}

// support are the packages that exist for tests, demonstrations and documents. They
// stand above everything and nothing of the product stands on them.
var support = []struct {
	path string
	// users may import it besides tests and other support.
	users, why string
}{
	{"internal/person", "cmd/*", "one plain Matrix client; the terminal's is the same"},
	{"internal/wirekit", "", "plays the other side of a wire protocol"},
	{"internal/store/storetest", "", "a fresh store a test"},
	{"internal/model/modeltest", "", "the suite every provider passes"},
	{"internal/worker/workertest", "", "the suite every backend passes"},
	{"test/*", "", "what end-to-end tests stand on"},
	{"docs", "", "writes the reference from the code; run by hand and by its test"},
}

// composers alone may import a toolkit.
const composers = "internal/runtime internal/runner"

// TestImportsPointOneWay holds the braces for every import of every package.
func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if wrong := homeless(short(p.ImportPath)); wrong != "" {
			t.Error(wrong)
		}
		for _, to := range p.Imports {
			if !ours(to) {
				continue
			}
			if wrong := judge(short(p.ImportPath), short(to)); wrong != "" {
				t.Error(wrong)
			}
		}
	}
}
