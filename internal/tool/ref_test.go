package tool

import "testing"

func TestParseRef(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Ref{
		"turn:turn-1:1.1.c":   {DoorTurn, "turn-1", "1.1.c"},
		"script:script-1:a":   {DoorScript, "script-1", "a"},
		"script:script-1:a:b": {DoorScript, "script-1", "a:b"},
		"cli:x:y":             {DoorCLI, "x", "y"},
	} {
		if got, ok := ParseRef(s); !ok || got != want {
			t.Errorf("%q is %+v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "turn", "turn:", "turn:x", "turn:x:", "turn::y", "window:x:y", "turn-1:0"} {
		if got, ok := ParseRef(s); ok || got != (Ref{}) {
			t.Errorf("%q is %+v", s, got)
		}
	}
}

func FuzzParseRef(f *testing.F) {
	f.Add("script:script-1:a:b")
	f.Fuzz(func(t *testing.T, s string) {
		if ref, ok := ParseRef(s); ok && ref.String() != s {
			t.Errorf("%q reads as %+v, which is written %q", s, ref, ref)
		}
	})
}
