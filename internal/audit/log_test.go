package audit

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mindroom/internal/canonical"
	"mindroom/internal/identity"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 123456000, time.UTC)

func entry(t *testing.T, owner, id string, args any) tool.AuditEntry {
	t.Helper()
	doc, err := canonical.FromValue(args)
	if err != nil {
		t.Fatal(err)
	}
	return tool.AuditEntry{
		Call: tool.Call{
			Ref: tool.Ref{Door: tool.DoorScript, Owner: owner, ID: id}, Name: tool.Name{Toolkit: "mail", Function: "send"}, Args: doc,
			Who: identity.InThread("watcher", "@anna:example.org", "!ops:example.org", "$root"),
		},
		Verdict: tool.Verdict{Kind: tool.Allow, Rule: "preapproved by allowed_tools at launch"},
		Outcome: tool.Completed(json.RawMessage(`"sent"`)), Began: true, Place: tool.InPrimary, At: at, Duration: 1500 * time.Microsecond,
	}
}

func record(t *testing.T, db *store.DB, l Log, entries ...tool.AuditEntry) {
	t.Helper()
	for _, e := range entries {
		if err := db.Write(t.Context(), func(tx *store.Tx) error { return l.Record(tx, e) }); err != nil {
			t.Fatal(err)
		}
	}
}

func of(t *testing.T, db *store.DB, owner string) []Record {
	t.Helper()
	records, err := Of(t.Context(), db, owner)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestRecord holds that everything comes back, of that owner only, oldest first.
func TestRecord(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	l := Log{Redactor: &secret.Redactor{}}
	refused := entry(t, "script-1", "b", map[string]any{})
	refused.Verdict = tool.Verdict{Kind: tool.Deny, Rule: "a rule"}
	refused.Outcome, refused.Began = tool.Failed(tool.Faultf(tool.FaultDenied, "an operator's rule denies mail.send")), false
	forgotten := entry(t, "script-1", "a", map[string]any{"to": "é"})
	forgotten.Verdict, forgotten.Outcome, forgotten.At = tool.Verdict{}, tool.Indeterminate("It was interrupted."), at.Add(-time.Hour)
	first := entry(t, "script-1", "c", map[string]any{"to": "ben"})
	record(t, db, l, first, entry(t, "script-2", "c", map[string]any{}), refused, forgotten)

	sequences := map[string]int64{"c": 1, "b": 3, "a": 4}
	want := func(e tool.AuditEntry, fault tool.FaultKind, message string) Record {
		return Record{
			Sequence: sequences[e.Call.ID], Place: e.Place, At: e.At, Ref: e.Call.Ref, Name: e.Call.Name, Agent: "watcher", Requester: "@anna:example.org", Room: "!ops:example.org", Thread: "$root",
			Digest: e.Call.Args.Digest(), Arguments: string(e.Call.Args.Canonical()), Verdict: string(e.Verdict.Kind), Rule: e.Verdict.Rule,
			Began: e.Began, State: e.Outcome.State, Fault: fault, Message: message, Duration: 1500 * time.Microsecond,
		}
	}
	if diff := cmp.Diff([]Record{
		want(first, "", ""),
		want(refused, tool.FaultDenied, "an operator's rule denies mail.send"),
		want(forgotten, tool.FaultIndeterminate, forgotten.Outcome.Fault.Message),
	}, of(t, db, "script-1")); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if got := of(t, db, "script-3"); len(got) != 0 {
		t.Errorf("an owner without calls has %v", got)
	}
}

// A person's answer is kept with the record, and the digest where the arguments are not known any more.
func TestRecordOfADecision(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	redactor := &secret.Redactor{}
	redactor.Add("a-secret-in-a-rule")
	asked := entry(t, "turn-1", "a", map[string]any{})
	asked.Verdict = tool.Verdict{Kind: tool.Ask, Rule: "script check.py failed: a-secret-in-a-rule"}
	asked.Decision, asked.Place = &tool.Decision{Kind: tool.Approved, By: "@anna:example.org"}, tool.InWorker
	refused := entry(t, "turn-1", "b", map[string]any{})
	refused.Decision = &tool.Decision{Kind: tool.Denied, By: "@anna:example.org"}
	lost := entry(t, "turn-1", "c", nil)
	lost.Call.Args, lost.Digest, lost.Place = canonical.Doc{}, "d1ge5t", ""
	record(t, db, Log{Redactor: redactor}, asked, refused, lost)
	got := of(t, db, "turn-1")
	if r := got[0]; r.Decision != tool.Approved || r.DecidedBy != "@anna:example.org" || r.Place != tool.InWorker || strings.Contains(r.Rule, "a-secret") {
		t.Errorf("%+v", r)
	}
	if r := got[1]; r.Decision != tool.Denied || r.DecidedBy != "@anna:example.org" {
		t.Errorf("%+v", r)
	}
	if r := got[2]; r.Decision != "" || r.Digest != "d1ge5t" || r.Arguments != "" || r.Place != "" {
		t.Errorf("%+v", r)
	}
}

// What looks on from outside asks for the last records, or for one call's.
func TestReadingParts(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	args := map[string]any{}
	record(t, db, Log{Redactor: &secret.Redactor{}}, entry(t, "script-1", "a", args), entry(t, "script-1", "b", args),
		entry(t, "script-2", "a", args), entry(t, "script-1", "c", args))
	read := func(ask func(q store.Queryer) ([]Record, error)) (refs string) {
		t.Helper()
		var got []Record
		err := db.Read(t.Context(), func(q *store.Reader) (err error) {
			got, err = ask(q)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got {
			refs += r.Ref.Owner + ":" + r.Ref.ID + " "
		}
		return refs
	}
	for name, c := range map[string]struct {
		ask  func(q store.Queryer) ([]Record, error)
		want string
	}{
		"the newest two":     {func(q store.Queryer) ([]Record, error) { return Newest(q, "script-1", 2) }, "script-1:c script-1:b "},
		"one call":           {func(q store.Queryer) ([]Record, error) { return OfCall(q, "script-2", "a") }, "script-2:a "},
		"one id, all owners": {func(q store.Queryer) ([]Record, error) { return OfCall(q, "", "a") }, "script-1:a script-2:a "},
		"no such call":       {func(q store.Queryer) ([]Record, error) { return OfCall(q, "script-2", "b") }, ""},
	} {
		if got := read(c.ask); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The record is written with the end of the call or not at all.
func TestRecordStandsOrFallsWithItsTransaction(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	l := Log{Redactor: &secret.Redactor{}}
	lost := errors.New("the receipt could not be written")
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		if err := l.Record(tx, entry(t, "script-1", "a", map[string]any{})); err != nil {
			return err
		}
		return lost
	})
	if !errors.Is(err, lost) {
		t.Fatalf("the write returned %v", err)
	}
	if got := of(t, db, "script-1"); len(got) != 0 {
		t.Errorf("an end that was rolled back left %v", got)
	}
	record(t, db, l, entry(t, "script-1", "a", map[string]any{}))
	if got := of(t, db, "script-1"); len(got) != 1 {
		t.Errorf("the end that was written left %d records", len(got))
	}
}

func TestRecordWithoutItsTable(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t)
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		return Log{Redactor: &secret.Redactor{}}.Record(tx, entry(t, "script-1", "a", nil))
	})
	if err == nil || !strings.Contains(err.Error(), "audit of script:script-1:a") {
		t.Errorf("a record that could not be written: %v", err)
	}
	if _, err := Of(t.Context(), db, "script-1"); err == nil || !strings.Contains(err.Error(), "audit of script-1") {
		t.Errorf("records that could not be read: %v", err)
	}
}

// TestRedaction holds that no registered secret is kept, wherever it stands,
// however JSON spells it and wherever a preview is cut.
func TestRedaction(t *testing.T) {
	t.Parallel()
	const short, quoted = "xylophone-quartz-17", "two\nlines \"and\" quotes"
	long := strings.Repeat("Kjh7", 2000)
	redactor := &secret.Redactor{}
	for _, s := range []string{short, quoted, long} {
		redactor.Add(s)
	}
	db := storetest.Open(t, Schema)
	l := Log{Redactor: redactor}
	// What stands before a cut secret is itself mostly secrets, so that the
	// preview, shortened by what was taken out, reaches the cut.
	many := strings.Repeat(short+" ", maxRead/(len(short)+1)+10)
	pieces := map[string]string{"short": short, "quoted": quoted, "long": long, "many": many, "many, then long": many[:maxRead-100] + long}
	for name, text := range pieces {
		e := entry(t, "in arguments: "+name, "a", map[string]any{"text": text})
		e.Outcome = tool.Failed(tool.Faultf(tool.FaultTool, "could not send %s", text))
		record(t, db, l, e)
		r := of(t, db, e.Call.Owner)[0]
		for what, kept := range map[string]string{"arguments": r.Arguments, "message": r.Message} {
			for _, piece := range []string{short[:9], "quotes", "Kjh7"} {
				if strings.Contains(kept, piece) {
					t.Errorf("%s: the %s keep a piece of a secret: …%q", name, what, kept[max(0, len(kept)-80):])
				}
			}
			if !strings.Contains(kept, secret.Mark) {
				t.Errorf("%s: nothing in the %s says that something was taken out: %q", name, what, kept)
			}
		}
		if r.Digest != e.Call.Args.Digest() {
			t.Errorf("%s: the digest is not of the arguments", name)
		}
	}
}

// TestPreview holds the bound, at every place where a character may be cut.
func TestPreview(t *testing.T) {
	t.Parallel()
	l := Log{Redactor: &secret.Redactor{}}
	for _, size := range []int{0, 1, maxPreview - 1, maxPreview, maxPreview + 1, maxRead - 1, maxRead, maxRead + 1, 10 * maxRead} {
		for shift := range 4 {
			for _, letter := range []string{"a", "ü", "€", "𝄞"} {
				text := strings.Repeat("a", shift) + strings.Repeat(letter, size/len(letter))
				got := l.preview(text)
				switch {
				case !utf8.ValidString(got):
					t.Fatalf("%d bytes of %s after %d: a character is cut", size, letter, shift)
				case len(got) > maxPreview+len("…"):
					t.Fatalf("%d bytes of %s after %d: %d bytes are kept", size, letter, shift, len(got))
				case len(text) <= maxPreview && got != text:
					t.Fatalf("%d bytes of %s after %d: a short text was changed", size, letter, shift)
				case len(text) > maxPreview && (!strings.HasSuffix(got, "…") || len(got) < maxPreview-maxPiece):
					t.Fatalf("%d bytes of %s after %d: kept %d bytes that end %q", size, letter, shift, len(got), got[len(got)-4:])
				}
			}
		}
	}
}
