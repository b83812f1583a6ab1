package scripted

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Parallel()
	modeltest.Run(t, func(t *testing.T, reply modeltest.Reply) model.Provider {
		var b strings.Builder
		b.WriteString("rules:\n  - say: " + strconv.Quote(strings.Join(reply.Text, "")) + "\n")
		if len(reply.Calls) > 0 {
			b.WriteString("    call:\n")
		}
		for _, c := range reply.Calls {
			b.WriteString("      - tool: " + c.Name + "\n")
			b.WriteString("        raw: " + strconv.Quote(strings.Join(c.Arguments, "")) + "\n")
		}
		return provide(t, b.String())
	})
}

// provide builds the provider over the given rules.
func provide(t *testing.T, rules string) model.Provider {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "rules.yaml"), []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := New(model.Settings{Dir: dir, ExtraKwargs: map[string]any{"rules": "rules.yaml"}})
	if err != nil {
		t.Fatalf("load:\n%s\n%v", rules, err)
	}
	return p
}

// say asks and returns the answer, which must not fail.
func say(t *testing.T, p model.Provider, messages ...model.Message) model.Response {
	t.Helper()
	resp, err := p.Stream(t.Context(), model.Request{Agent: "helper", System: "You are in a room.", Messages: messages}, nil)
	if err != nil {
		t.Fatalf("Stream: %v", err)
	}
	return resp
}
