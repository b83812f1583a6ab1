package identity

import (
	"strings"
	"testing"
)

func TestRunIDRoundTrip(t *testing.T) {
	t.Parallel()
	seen := map[RunID]bool{}
	for range 1000 {
		id := NewRunID()
		got, err := ParseRunID(string(id))
		if err != nil || got != id {
			t.Fatalf("ParseRunID(%q) = %q, %v", id, got, err)
		}
		if seen[id] {
			t.Fatalf("%q was made twice", id)
		}
		seen[id] = true
	}
}

func TestParseRunIDRefuses(t *testing.T) {
	t.Parallel()
	hex := strings.Repeat("a", 32)
	for _, s := range []string{
		"", "script-", "script-" + hex[:31], "script-" + hex + "a", "turn-" + hex,
		"script-" + strings.Repeat("A", 32), "script-" + hex[:31] + "/", "script-" + hex + "\n", "../" + hex,
	} {
		if _, err := ParseRunID(s); err == nil {
			t.Errorf("ParseRunID(%q) was accepted", s)
		}
	}
}

func TestWorkerKeys(t *testing.T) {
	t.Parallel()
	e := InThread("watcher", "@anna:example.org", "!r:example.org", "$root")
	for _, c := range []struct {
		scope Scope
		want  WorkerKey
	}{
		{ScopeNone, "v1:default:unscoped:watcher"},
		{ScopeShared, "v1:default:shared:watcher"},
		{ScopeUser, "v1:default:user:@anna:example.org"},
		{ScopeUserAgent, "v1:default:user_agent:@anna:example.org:watcher"},
	} {
		if got := KeyFor(c.scope, e); got != c.want {
			t.Errorf("KeyFor(%q) = %q, want %q", c.scope, got, c.want)
		}
	}
	run := RunID("script-" + strings.Repeat("0", 32))
	k := RunKey(e, run)
	if want := WorkerKey("v1:default:user_agent:@anna:example.org:" + string(run) + ":watcher"); k != want {
		t.Fatalf("RunKey = %q, want %q", k, want)
	}
	canonical, back, err := k.SplitRun()
	if err != nil || back != run || canonical != KeyFor(ScopeUserAgent, e) {
		t.Fatalf("SplitRun = %q, %q, %v", canonical, back, err)
	}
}

func TestSplitRunRefusesForeignKeys(t *testing.T) {
	t.Parallel()
	run := "script-" + strings.Repeat("0", 32)
	for _, k := range []WorkerKey{
		"", "v1:default:user_agent:@a:b:watcher", WorkerKey("v2:default:user_agent:@a:b:" + run + ":watcher"),
		WorkerKey("v1:default:shared:@a:b:" + run + ":watcher"), WorkerKey("v1:default:user_agent:@a:b:" + run + ":"),
		WorkerKey("v1:default:user_agent:@a:b:" + run + ":wat cher"),
	} {
		if _, _, err := k.SplitRun(); err == nil {
			t.Errorf("SplitRun(%q) was accepted", k)
		}
	}
}

func FuzzSplitRun(f *testing.F) {
	f.Add("v1:default:user_agent:@a:b:script-00000000000000000000000000000000:watcher")
	f.Fuzz(func(t *testing.T, s string) {
		canonical, run, err := WorkerKey(s).SplitRun()
		if err != nil {
			return
		}
		i := strings.LastIndexByte(string(canonical), ':')
		if again := string(canonical)[:i] + ":" + string(run) + string(canonical)[i:]; again != s {
			t.Fatalf("%q came back as %q", s, again)
		}
	})
}

func TestIsHuman(t *testing.T) {
	t.Parallel()
	own := func(id string) bool { return id == "@mindroom_watcher:x" }
	for id, want := range map[string]bool{"@anna:x": true, "@mindroom_watcher:x": false, "anna": false, "@anna": false, "": false} {
		if got := IsHuman(id, own); got != want {
			t.Errorf("IsHuman(%q) = %v, want %v", id, got, want)
		}
	}
}
