package tool

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"mindroom/internal/config"
)

// kitOf is a toolkit of functions that do nothing; built counts its builds.
func kitOf(name string, built *atomic.Int32, functions ...string) Toolkit {
	return Toolkit{Name: name, Purpose: "the toolkit " + name, Fields: settings, Build: func(Env) ([]Function, error) {
		built.Add(1)
		var all []Function
		for _, f := range functions {
			all = append(all, Typed(Spec{Name: f, Description: f + " of " + name}, func(context.Context, Invocation, struct{}) (any, error) { return nil, nil }))
		}
		return all, nil
	}}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	var built atomic.Int32
	r, err := NewRegistry(kitOf("web", &built, "read"), kitOf("files", &built, "read", "write"))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Names(); !slices.Equal(got, []string{"files", "web"}) {
		t.Errorf("names %v are not all of them, sorted", got)
	}
	r.Names()[0] = "changed"
	if r.Names()[0] != "files" {
		t.Error("a caller changed the registry through the list it got")
	}
	if fields, ok := r.Fields("web"); !ok || len(fields) != 1 || fields[0].Name != "limit" {
		t.Errorf("fields of web: %v, %v", fields, ok)
	}
	if _, ok := r.Fields("nothing"); ok {
		t.Error("a toolkit nobody registered has fields")
	}
	if got := r.Purpose("web"); got != "the toolkit web" {
		t.Errorf("purpose of web: %q", got)
	}
	if _, err := NewRegistry(kitOf("web", &built), kitOf("web", &built)); err == nil {
		t.Error("one name was registered twice")
	}
}

// Sentence 7: surfaces and functions are built once a snapshot and shared.
func TestSentence7SurfaceIsCachedPerSnapshot(t *testing.T) {
	t.Parallel()
	var built atomic.Int32
	r, err := NewRegistry(kitOf("web", &built, "read"))
	if err != nil {
		t.Fatal(err)
	}
	h := config.NewHolder(parse(t, r, `["web"]`))
	old := h.Current()
	first := surface(t, r, old)
	for range 3 {
		if again := surface(t, r, old); again != first {
			t.Fatal("one snapshot has two surfaces")
		}
	}
	if n := built.Load(); n != 1 {
		t.Fatalf("the toolkit was built %d times for one snapshot", n)
	}
	f := first.Lookup(Name{"web", "read"})
	if f != first.Functions()[0] || f != first.Bare("read") {
		t.Error("one function of a surface has two addresses")
	}

	next, err := h.Publish(parse(t, r, `[{"web": {"limit": 4}}]`))
	if err != nil {
		t.Fatal(err)
	}
	second := surface(t, r, next)
	if second == first || second != surface(t, r, next) {
		t.Error("a newer snapshot has not one surface of its own")
	}
	if second.Lookup(f.Name).Depends == f.Depends {
		t.Error("other settings have the same digest")
	}
	// A turn that holds the older snapshot still gets it, and takes nothing
	// away from the newer one.
	if got := surface(t, r, old).Lookup(f.Name); got.Depends != f.Depends {
		t.Error("the older snapshot's surface has the newer settings")
	}
	if second != surface(t, r, next) {
		t.Error("asking for the older surface threw the newer one away")
	}
}

func TestSurface(t *testing.T) {
	t.Parallel()
	var built atomic.Int32
	broken := Toolkit{Name: "broken", Build: func(Env) ([]Function, error) { return nil, errors.New("no key") }}
	r, err := NewRegistry(kitOf("web", &built, "read", "search", "post"), kitOf("files", &built, "read", "write"), broken)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, tools, functions, toolkits, readOf string }{
		{"order of the file", `["files", "web"]`, "files.read files.write web.read web.search web.post", "files web", "files"},
		{"the other order", `["web", "files"]`, "web.read web.search web.post files.read files.write", "web files", "web"},
		{"include", `[{"web": {"include_tools": ["read"]}}]`, "web.read", "web", "web"},
		{"exclude", `[{"web": {"exclude_tools": ["read"]}}, "files"]`, "web.search web.post files.read files.write", "web files", "files"},
		{"all excluded stays listed", `[{"web": {"include_tools": []}}]`, "", "web", ""},
		{"broken beside sound", `["broken", "files"]`, "files.read files.write", "broken files", "files"},
		{"none", `[]`, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// Each case has a registry, because one registry serves one process's snapshots.
			own, err := NewRegistry(kitOf("web", &built, "read", "search", "post"), kitOf("files", &built, "read", "write"), broken)
			if err != nil {
				t.Fatal(err)
			}
			s := surface(t, own, &config.Snapshot{Number: 1, Config: parse(t, r, c.tools)})
			var functions, toolkits, tools trace
			for _, f := range s.Functions() {
				functions.add(f.Name.String())
			}
			for _, k := range s.Toolkits() {
				toolkits.add(k)
			}
			if functions.String() != c.functions || toolkits.String() != c.toolkits {
				t.Errorf("has %q of %q, want %q of %q", functions.String(), toolkits.String(), c.functions, c.toolkits)
			}
			readOf := ""
			if f := s.Bare("read"); f != nil {
				readOf = f.Name.Toolkit
			}
			if readOf != c.readOf {
				t.Errorf("read without a toolkit is of %q, want %q", readOf, c.readOf)
			}
			for _, m := range s.Tools() {
				tools.add(m.Name)
				if f := s.Bare(m.Name); f.Description != m.Description || !reflect.DeepEqual(f.Schema, m.Schema) {
					t.Errorf("a model reads of %s what another function does", m.Name)
				}
				if tools.count(m.Name) > 1 {
					t.Errorf("a model is given two tools named %s", m.Name)
				}
			}
			if (len(s.Problems) > 0) != slices.Contains(s.Toolkits(), "broken") {
				t.Errorf("problems: %v", s.Problems)
			}
		})
	}
	if _, err := r.Surface(&config.Snapshot{Number: 1, Config: parse(t, r, `[]`)}, "nobody"); err == nil {
		t.Error("an agent that is not configured has a surface")
	}
}

func TestOwnersAndNearest(t *testing.T) {
	t.Parallel()
	var built atomic.Int32
	r, err := NewRegistry(kitOf("web", &built, "read_url", "search"), kitOf("files", &built, "read_file", "read_url", "list_files"))
	if err != nil {
		t.Fatal(err)
	}
	s := surface(t, r, &config.Snapshot{Number: 1, Config: parse(t, r, `["web", "files"]`)})
	if got := s.Owners("read_url"); !slices.Equal(got, []string{"web", "files"}) {
		t.Errorf("read_url is of %v", got)
	}
	if got := s.Owners("search"); !slices.Equal(got, []string{"web"}) {
		t.Errorf("search is of %v", got)
	}
	if got := s.Nearest("serach"); len(got) == 0 || got[0] != "search" {
		t.Errorf("nearest to serach: %v", got)
	}
	if got := s.Nearest("READ_URL"); len(got) == 0 || got[0] != "read_url" {
		t.Errorf("nearest to READ_URL: %v", got)
	} else if len(got) > 1 && got[0] == got[1] {
		t.Errorf("one name is suggested twice: %v", got)
	}
	if got := s.Nearest("read_fil"); len(got) > 3 {
		t.Errorf("%d suggestions", len(got))
	}
	if got := s.Nearest("zz"); len(got) != 0 {
		t.Errorf("nothing resembles zz, and %v was suggested", got)
	}
}

func surface(tb testing.TB, r *Registry, snap *config.Snapshot) *Surface {
	tb.Helper()
	s, err := r.Surface(snap, "watcher")
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
