package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// agentCLI is what a call of a tool costs a shell command before the tool costs anything: a start of mindroom-agent against a server that
// answers at once. Starting anything at all costs what /bin/true costs, so the two alternate and their difference is the row.
func (b *bench) agentCLI(ctx context.Context) ([]Row, error) {
	server := httptest.NewServer(http.HandlerFunc(complete))
	defer server.Close()
	program := filepath.Join(b.bin, "mindroom-agent")
	start := func(args ...string) (time.Duration, error) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = []string{"MINDROOM_AGENT_CLI_URL=" + server.URL, "MINDROOM_AGENT_CLI_TOKEN=bench", "MINDROOM_AGENT_CLI_WINDOW=bench"}
		begun := time.Now()
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("%s: %w", filepath.Base(args[0]), err)
		}
		return time.Since(begun), nil
	}
	call := func() (time.Duration, error) { return start(program, "tools", "call", "bench", "nothing", "{}") }

	var bare, whole, above sample
	for i := range b.rounds(600) + 1 {
		without, err := start("/bin/true")
		if err != nil {
			return nil, err
		}
		with, err := call()
		if err != nil {
			return nil, err
		}
		if i == 0 {
			continue // it filled the caches
		}
		bare = append(bare, milliseconds(without))
		whole = append(whole, milliseconds(with))
		above = append(above, milliseconds(with-without))
	}
	return []Row{
		spread("/bin/true", "ms", bare),
		spread("mindroom-agent tools call of a no-op", "ms", whole),
		spread("what mindroom-agent adds to /bin/true", "ms", above).within(P50, 5).note("paired differences, %d pairs", len(above)),
	}, nil
}

// complete answers a submission with a receipt that is over.
func complete(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID string `json:"call_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	answer := fmt.Sprintf(`{"attachments":[],"call_id":%q,"function":"nothing","outcome":null,"parent_bash_call_id":"bench","status":"completed","toolkit":"bench"}`, q.ID)
	if _, err := w.Write([]byte(answer)); err != nil {
		fmt.Fprintln(os.Stderr, "bench: answering mindroom-agent:", err)
	}
}
