package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/audit"
	"mindroom/internal/canonical"
	"mindroom/internal/identity"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/test/heard"
)

func TestInstantOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"":                          {},
		"90m":                       now.Add(-90 * time.Minute),
		"1.5h":                      now.Add(-90 * time.Minute),
		"7d":                        now.AddDate(0, 0, -7),
		"0.5d":                      now.Add(-12 * time.Hour),
		"2026-03-01T09:00:00+01:00": time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC),
		"2026-03-01":                time.Date(2026, 3, 1, 0, 0, 0, 0, time.Local),
	} {
		if got, err := instantOf("--since", text, now); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"yesterday", "-1h", "d", "1y", "12", "1h2d", "-2d", "nand"} {
		if got, err := instantOf("--since", text, now); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

// Whoever follows sees what fits as it ends, beside a runtime that writes, each call once.
func TestAuditFollows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	control := filepath.Join(dir, "control_state")
	if err := os.MkdirAll(control, 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(control, "mindroom.db"), audit.Schema)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	record := func(id, agent string) {
		t.Helper()
		err := db.Write(t.Context(), func(tx *store.Tx) error {
			return audit.Log{Redactor: &secret.Redactor{}}.Record(tx, tool.AuditEntry{
				Call: tool.Call{Ref: tool.Ref{Door: tool.DoorTurn, Owner: "turn-1", ID: id}, Name: tool.Name{Toolkit: "kit", Function: "do"}, Args: canonical.EmptyObject,
					Who: identity.InThread(agent, "@anna:example.org", "!r:example.org", "")},
				Outcome: tool.Completed(json.RawMessage(`1`)), Began: true, At: time.Now(),
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	record("old", "worker")
	record("first", "worker")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &heard.Text{}
	u := &ui{out: out, err: out, lookup: func(string) (string, bool) { return "", false }}
	f := auditFlags{place: place{storage: dir}, agent: "worker", limit: 1, follow: true}
	wanted, err := f.filter(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- f.audit(ctx, u, wanted) }()
	shows := func(id string) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !strings.Contains(out.String(), "turn-1 "+id+"\n"); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s does not show in %q", id, out)
			}
		}
	}
	shows("first")
	record("second", "worker")
	record("strange", "other")
	record("third", "worker")
	shows("third")
	cancel()
	<-done
	want := "TIME DOOR AGENT REQUESTER TOOL STATE RULE CALL first second third "
	var got strings.Builder
	for i, l := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		if i == 0 {
			got.WriteString(strings.ReplaceAll(l, "\t", " ") + " ")
			continue
		}
		got.WriteString(l[strings.LastIndex(l, " ")+1:] + " ")
	}
	if got.String() != want {
		t.Errorf("%q, want %q", got.String(), want)
	}
}
