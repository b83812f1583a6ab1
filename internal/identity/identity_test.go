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
}

// Two people never share a key, whatever their ids are made of, and a key's folder
// stays one folder (spec/runtime.md 2.3).
func TestHostileRequesters(t *testing.T) {
	t.Parallel()
	ids := []string{
		"@anna:example.org", "@an_na:example.org", "@an/na:example.org", "@an=na:example.org", "@an na:example.org", "@an\x00na:example.org",
		"@an\u00e4:example.org", "@an\u00f6:example.org", "@:example.org", "@_:example.org", "@/:example.org", "@..:example.org", "@../..:example.org",
		"@../../../etc/passwd:example.org", "@anna:example.org:8448", "@anna:[::1]:8448", "@anna:[::2]:8448", "@anna:example.org/", "@anna:example.org_",
		"@anna:example.org:script-00000000000000000000000000000000", "@" + strings.Repeat("a", 300) + ":x", "@" + strings.Repeat("a", 301) + ":x", "@Anna:example.org",
	}
	// Whoever could choose a server name could not choose one that looks like a hash.
	forged := strings.TrimPrefix(string(KeyFor(ScopeUser, InThread("w", "@an/na:example.org", "!r:x", ""))), "v1:default:user:")
	ids = append(ids, forged)
	for _, scope := range []Scope{ScopeUser, ScopeUserAgent} {
		keys, dirs := map[WorkerKey]string{}, map[string]string{}
		for _, id := range ids {
			e := InThread("watcher", id, "!r:x", "")
			k := KeyFor(scope, e)
			if other, taken := keys[k]; taken {
				t.Errorf("%q and %q share the key %q", id, other, k)
			}
			dir := k.Dir()
			if other, taken := dirs[dir]; taken {
				t.Errorf("%q and %q share the folder %q", id, other, dir)
			}
			keys[k], dirs[dir] = id, id
			if dir == "" || len(dir) > 100 || strings.ContainsAny(dir, "/\x00:") || strings.HasPrefix(dir, ".") {
				t.Errorf("%q has the folder %q", id, dir)
			}
			run := NewRunID()
			if canonical := strings.Replace(string(RunKey(e, run)), ":"+string(run)+":", ":", 1); canonical != string(KeyFor(ScopeUserAgent, e)) {
				t.Errorf("%q: without the run its key is %q", id, canonical)
			}
		}
	}
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
