package tool

import (
	"testing"

	"mindroom/internal/config"
)

// What a call depends on includes whose folder it works in, and nothing of the
// agent that has no part in it: an approval for one folder is none for another.
func TestDependsOnIsolation(t *testing.T) {
	t.Parallel()
	r, err := NewRegistry(Toolkit{Name: "kit", Build: func(Env) ([]Function, error) {
		return []Function{{Name: Name{Function: "act"}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	number := uint64(0)
	depends := func(agent string) string {
		t.Helper()
		cfg, _, err := config.Parse("config.yaml", []byte(`models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: Watcher, tools: [kit]`+agent+`}}
authorization: {default_room_access: true}
`), r, config.Env{})
		if err != nil {
			t.Fatal(err)
		}
		number++
		s, err := r.Surface(&config.Snapshot{Number: number, Config: cfg}, "watcher")
		if err != nil {
			t.Fatal(err)
		}
		return s.Lookup(Name{"kit", "act"}).Depends
	}
	shared := depends("")
	if shared != depends(", role: Another.") {
		t.Error("a role is part of it")
	}
	seen := map[string]string{shared: "shared"}
	for _, private := range []string{"{per: user}", "{per: user_agent}", "{per: user, root: elsewhere}"} {
		d := depends(", private: " + private)
		if other, same := seen[d]; same {
			t.Errorf("private: %s is the same as %s", private, other)
		}
		seen[d] = private
	}
}
