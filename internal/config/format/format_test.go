package format

import (
	"regexp"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// visit calls each with every object of the format once.
func visit(each func(o *Object)) {
	seen := map[*Object]bool{}
	var object func(o *Object)
	var shape func(s Shape)
	shape = func(s Shape) {
		if s.Object != nil {
			object(s.Object)
		}
		for _, inner := range []*Shape{s.Of, s.Short} {
			if inner != nil {
				shape(*inner)
			}
		}
	}
	object = func(o *Object) {
		if seen[o] {
			return
		}
		seen[o] = true
		each(o)
		for _, k := range o.Keys {
			shape(k.Shape)
		}
	}
	object(root)
	object(toolEntry)
}

// Every key has a sentence, and every section a name and a sentence (invariant 1). A name that stands twice would hide a row.
func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	objects := 0
	visit(func(o *Object) {
		objects++
		if (o.Name == "") != (o == root) || o.Doc == "" || len(o.Keys) == 0 {
			t.Errorf("%q: name, sentence or keys are missing", o.Name)
		}
		var names []string
		for _, k := range o.Keys {
			if slices.Contains(names, k.Name) {
				t.Errorf("%s.%s stands twice in the table", o.Name, k.Name)
			}
			names = append(names, k.Name)
			if k.Removed == "" && (k.Doc == "" || k.Doc[len(k.Doc)-1] != '.' || k.Shape.Kind == "") {
				t.Errorf("%s.%s has no sentence or no shape", o.Name, k.Name)
			}
			if k.Required && (k.Default != nil || k.Idle != "") {
				t.Errorf("%s.%s is required, so neither default nor idleness means anything", o.Name, k.Name)
			}
		}
		for _, pair := range o.Exclusive {
			if o.Find(pair[0]) == nil || o.Find(pair[1]) == nil {
				t.Errorf("%s: %v excludes a key that does not exist", o.Name, pair)
			}
		}
		for _, name := range o.Any {
			if o.Find(name) == nil {
				t.Errorf("%s needs the key %s, which does not exist", o.Name, name)
			}
		}
	})
	if objects < 25 {
		t.Errorf("only %d sections were visited", objects)
	}
}

// A default fits the shape of its key (invariant 2).
func TestDefaultsFit(t *testing.T) {
	t.Parallel()
	defaults := 0
	visit(func(o *Object) {
		for _, k := range o.Keys {
			if k.Default == nil {
				continue
			}
			defaults++
			if wrong := misfit(k.Default, k.Shape); wrong != "" {
				t.Errorf("%s.%s: the default %v %s", o.Name, k.Name, k.Default, wrong)
			}
		}
	})
	if defaults < 30 {
		t.Errorf("only %d defaults were seen", defaults)
	}
}

func misfit(v any, s Shape) string {
	var n float64
	switch v := v.(type) {
	case bool:
		if s.Kind != Bool {
			return "is a boolean"
		}
		return ""
	case []string:
		if s.Kind != List {
			return "is a list"
		}
		return ""
	case string:
		if s.Kind != Text || s.Words != nil && !slices.Contains(s.Words, v) {
			return "is no such text"
		}
		if p, ok := patterns[s.Form]; ok && !regexp.MustCompile(p).MatchString(v) {
			return "does not look right"
		}
		return ""
	case int:
		if n = float64(v); s.Kind != Int {
			return "is a whole number"
		}
	case float64:
		if n = v; s.Kind != Number {
			return "is a number"
		}
	}
	if s.Min != nil && (n < *s.Min || s.Over && n == *s.Min) || s.Max != nil && n > *s.Max {
		return "is outside the limits"
	}
	return ""
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	for f, c := range map[Form]struct{ right, wrong []string }{
		Filled:      {[]string{"a", "\n"}, []string{""}},
		Room:        {[]string{"ops", "a.b-c", "#ops:example.org", "!abc:example.org", "!0123456789012345678901234567890123456789abc"}, []string{"", "two words", "#ops", "!short"}},
		User:        {[]string{"@alice:example.org", "@a:localhost:8448"}, []string{"alice", "@alice", "@*:example.org", "@a b:example.org"}},
		Pattern:     {[]string{"*", "@*:example.org", "?", "[@]x"}, []string{"", "alice"}},
		EntityOrAll: {[]string{"*", "watcher"}, []string{"", "**", "my-agent"}},
		Localpart:   {[]string{"mind.room_1"}, []string{"", "Mind", "@mind"}},
		Variable:    {[]string{"A_1"}, []string{"", "a", "1A"}},
	} {
		form := regexp.MustCompile(patterns[f])
		for _, text := range c.right {
			if !form.MatchString(text) {
				t.Errorf("%s refuses %q", f, text)
			}
		}
		for _, text := range c.wrong {
			if form.MatchString(text) {
				t.Errorf("%s takes %q", f, text)
			}
		}
	}
}
