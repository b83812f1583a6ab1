package rig

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"mindroom/internal/tool"
	"mindroom/internal/turncli"
)

// A command of a response finds the agent's functions and calls one, by the variables
// its window gives it.
func TestRespond(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	r := open(t, Options{WithoutProcesses: true})
	o, err := r.Respond("@one:example.org", "turn-1")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Release(ctx)
	scope, err := o.Open(ctx, tool.Ref{Door: tool.DoorTurn, Owner: "turn-1", ID: "1.0.call"})
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{}
	for _, e := range scope.Env() {
		name, value, _ := strings.Cut(e, "=")
		vars[name] = value
	}
	ask := func(body string) (answer map[string]any) {
		t.Helper()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, vars[turncli.EnvURL]+"/api/agent-cli/operations", bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+vars[turncli.EnvToken])
		req.Header.Set("X-MindRoom-Agent-CLI-Window", vars[turncli.EnvWindow])
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Prefer", "wait=10")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v, %v", body, res.Status, answer, err)
		}
		return answer
	}
	if found, _ := ask(`{"operation":"tools.search","query":"noop"}`)["items"].([]any); len(found) == 0 {
		t.Error("nothing is found")
	}
	receipt := ask(`{"operation":"tools.call","call_id":"6d1f0f0e-58a6-4b5e-9a33-0a4b1c3d2e1f","toolkit":"bench","function":"noop","arguments":{"n":1}}`)
	if receipt["status"] != "completed" {
		t.Errorf("the receipt is %v", receipt)
	}
	scope.Close(ctx)
}
