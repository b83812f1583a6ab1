package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/chat"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// What waits is listed beside whoever writes the database, and nothing else is.
func TestApprovals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	control := filepath.Join(dir, "control_state")
	if err := os.MkdirAll(control, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(control, "mindroom.db"), chat.Schema, approval.Schema)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	outbox, err := chat.OpenOutbox(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	cards := approval.NewCards(approval.Parts{DB: db, Outbox: outbox})
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	card := func(id string) approval.Card {
		return approval.Card{
			ID: id, Ref: tool.Ref{Door: tool.DoorTurn, Owner: "turn-1", ID: id}, Name: tool.Name{Toolkit: "shell", Function: "run"}, Agent: "keeper",
			Requester: "@ann:x", Conversation: chat.Conversation{Account: "@router:x", Room: "!r:x"}, Rule: "tool_approval.rules[0]", Arguments: json.RawMessage(`{}`),
			Approvable: true, State: approval.Pending, Requested: at, Expires: at.Add(time.Hour),
		}
	}
	err = db.Write(t.Context(), func(tx *store.Tx) error {
		for _, id := range []string{"a", "b"} {
			if err := cards.Put(tx, card(id)); err != nil {
				return err
			}
		}
		_, _, _, err := cards.Decide(tx, "a", approval.Denied, "@ann:x", "no")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, string) {
		var out, errs bytes.Buffer
		u := &ui{out: &out, err: &errs, lookup: func(string) (string, bool) { return "", false }}
		cmd := newRoot(u)
		cmd.SetArgs(append([]string{"approvals", "--storage-path", dir}, args...))
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return out.String(), errs.String()
	}
	text, _ := run()
	if want := "shell.run\tkeeper\t@ann:x\ttool_approval.rules[0]\t2026-03-01T09:00:00Z\t2026-03-01T10:00:00Z\tb\n"; !strings.HasSuffix(text, want) || strings.Count(text, "\n") > 2 {
		t.Errorf("listed\n%q, not\n%q", text, want)
	}
	raw, _ := run("--json")
	var listed struct {
		Approvals []waitingCard `json:"approvals"`
	}
	if err := json.Unmarshal([]byte(raw), &listed); err != nil || len(listed.Approvals) != 1 || listed.Approvals[0].ID != "b" || !listed.Approvals[0].Expires.Equal(at.Add(time.Hour)) {
		t.Errorf("%s, %v", raw, err)
	}
}
