package main

import (
	"strings"
	"testing"

	"mindroom/internal/canonical"
	"mindroom/internal/tool"
)

// Sentence 3: each way in which scripts, effects and records can disagree.
func TestCheck(t *testing.T) {
	t.Parallel()
	done := func(n int) *receipt {
		return &receipt{digest: digest(n), state: tool.StateCompleted, begun: true, records: 1}
	}
	for name, c := range map[string]struct {
		change func(told *told, marks []uint8, b *book)
		want   string
	}{
		"in order":     {func(*told, []uint8, *book) {}, ""},
		"lost receipt": {func(_ *told, marks []uint8, b *book) { delete(b.receipts, "c1"); marks[1] = 0 }, "its receipt is lost"},
		"other end":    {func(_ *told, _ []uint8, b *book) { b.receipts["c1"].state = tool.StateFailed }, "its receipt says failed"},
		"pending": {func(_ *told, _ []uint8, b *book) {
			b.receipts["c3"].state, b.receipts["c3"].records = tool.StatePending, 0
		}, "call 3 is pending"},
		"no audit":          {func(_ *told, _ []uint8, b *book) { b.receipts["c2"].records = 0 }, "has 0 audit records"},
		"two audit records": {func(_ *told, _ []uint8, b *book) { b.receipts["c2"].records = 2 }, "has 2 audit records"},
		"stray audit":       {func(_ *told, _ []uint8, b *book) { b.stray = 1 }, "1 audit records have no receipt"},
		"ran twice":         {func(_ *told, marks []uint8, _ *book) { marks[2] = 2 }, "call 2 took effect 2 times"},
		"no effect":         {func(_ *told, marks []uint8, _ *book) { marks[2] = 0 }, "never took effect"},
		"effect, no receipt": {func(told *told, _ []uint8, b *book) {
			delete(b.receipts, "c3")
		}, "call 3 took effect and has no receipt"},
		"effect, not begun": {func(_ *told, _ []uint8, b *book) {
			b.receipts["c3"].state, b.receipts["c3"].begun = tool.StateFailed, false
		}, "says that it never began"},
		"two receipts":     {func(_ *told, _ []uint8, b *book) { b.receipts["c9"] = done(1) }, "call 1 has two receipts"},
		"nobody's receipt": {func(_ *told, _ []uint8, b *book) { b.receipts["c9"] = done(9999) }, "that no script made"},
		"claimed, never ran": {func(_ *told, _ []uint8, b *book) {
			b.receipts["c4"] = &receipt{digest: digest(4), state: tool.StateFailed, records: 1}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Calls 0 to 2 were seen completed; call 3 ended when nobody listened.
			told := told{seen: []span{{0, 2}, {2, 3}}}
			marks := []uint8{1, 1, 1, 1}
			b := book{receipts: map[string]*receipt{"c0": done(0), "c1": done(1), "c2": done(2), "c3": done(3)}}
			c.change(&told, marks, &b)
			got := strings.Join(check(told, marks, b), "; ")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// The digest here is the product's.
func TestDigest(t *testing.T) {
	t.Parallel()
	doc, err := canonical.Parse([]byte(` { "n" : 17 } `), canonical.Limits{Bytes: 100})
	if err != nil || doc.Digest() != digest(17) {
		t.Errorf("digest of call 17 is %s, of the product %s (%v)", digest(17), doc.Digest(), err)
	}
}

func TestTell(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		output string
		cut    bool
		calls  int
		failed int
		bad    bool
	}{
		"nothing":     {"", false, 0, 0, false},
		"spans":       {"seen 0 3\nfailed 3 rate_limited\nseen 4 5\n", false, 4, 1, false},
		"cut":         {"en 5 9\nseen 9 10\n", true, 1, 0, false},
		"a traceback": {"seen 0 1\nTraceback (most recent call last):\n", false, 1, 0, true},
	} {
		got, err := tell(c.output, c.cut)
		if got.calls() != c.calls || len(got.failed) != c.failed || (err != nil) != c.bad {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	if got := whole("seen 0 1\nTraceback\nseen 1 2\nseen 2"); got != "seen 0 1\nseen 1 2\n" {
		t.Errorf("whole lines are %q", got)
	}
}
