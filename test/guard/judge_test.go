package guard

import (
	"fmt"
	"strings"
	"testing"
)

// place finds the line of layers in which path stands, counted from the top,
// and the tree it belongs to; -1 when it has no place. The longest entry wins.
func place(path string) (layer int, family string) {
	layer, longest := -1, -1
	for i, line := range layers {
		for _, entry := range strings.Fields(line) {
			if f := within(entry, path); f != "" && len(entry) > longest {
				layer, family, longest = i, f, len(entry)
			}
		}
	}
	return layer, family
}

// within is the tree that entry gives path, "" when path is not in it.
func within(entry, path string) string {
	if parent, each := strings.CutSuffix(entry, "*"); each {
		rest, ok := strings.CutPrefix(path, parent)
		if first, _, _ := strings.Cut(rest, "/"); ok && first != "" {
			return parent + first
		}
		return ""
	}
	if path == entry || strings.HasPrefix(path, entry+"/") {
		return entry
	}
	return ""
}

func among(entries, path string) bool {
	for _, entry := range strings.Fields(entries) {
		if within(entry, path) != "" {
			return true
		}
	}
	return false
}

// supports finds the entry of support for path; users is "" when nobody may.
func supports(path string) (users string, found bool) {
	for _, s := range support {
		if within(s.path, path) != "" {
			return s.users, true
		}
	}
	return "", false
}

func homeless(path string) string {
	if _, found := supports(path); found {
		return ""
	}
	if layer, _ := place(path); layer < 0 {
		return fmt.Sprintf("%s has no place in the layers of test/guard/layers_test.go; give it one, and docs/architecture.md too", path)
	}
	return ""
}

// judge says which rule the import of one package by another breaks; "" when
// none.
func judge(from, to string) string {
	refuse := func(format string, args ...any) string {
		return fmt.Sprintf("%s imports %s: ", from, to) + fmt.Sprintf(format, args...)
	}
	_, fromSupport := supports(from)
	users, toSupport := supports(to)
	switch {
	case fromSupport:
		return ""
	case toSupport && !among(users, from):
		return refuse("that is support for tests; the product does not stand on it")
	case toSupport:
		return ""
	}
	above, family := place(from)
	below, other := place(to)
	switch {
	case above < 0 || below < 0 || family == other:
		return "" // homeless tells of the first two
	case within("internal/toolkit/*", to) != "" && !among(composers, from):
		return refuse("only %s imports toolkits; declare the port you need and let it be joined there", strings.ReplaceAll(composers, " ", " or "))
	case below > above:
		return ""
	case below < above:
		return refuse("imports point down, and %s stands above (%s over %s)", other, layers[below], layers[above])
	}
	for _, j := range joints {
		if within(j.from, from) != "" && within(j.to, to) != "" {
			return ""
		}
	}
	return refuse("neighbours never import each other (%s); declare a port and let internal/runtime join it", layers[above])
}

// TestJudge holds the judge itself: a guard that lets everything pass is none.
func TestJudge(t *testing.T) {
	t.Parallel()
	const pass = ""
	for _, c := range []struct{ from, to, want string }{
		{"cmd/mindroom", "internal/runtime", pass},
		{"cmd/mindroom-supervise", "internal/supervise/guard", pass},
		{"cmd/mindroom", "internal/person", pass},
		{"cmd/mindroom", "internal/toolkit/shell", "only internal/runtime or internal/runner imports toolkits"},
		{"cmd/mindroom", "test/homeserver", "support for tests"},
		{"internal/runtime", "internal/toolkit/shell", pass},
		{"internal/runtime", "internal/turn", pass},
		{"internal/runtime", "internal/person", "support for tests"},
		{"internal/toolkit/shell", "internal/supervise", pass},
		{"internal/toolkit/website", "internal/toolkit/website/page", pass},
		{"internal/toolkit/delegate", "internal/toolkit/shell", "only internal/runtime or internal/runner imports toolkits"},
		{"internal/control", "internal/toolkit/shell", "only internal/runtime or internal/runner imports toolkits"},
		{"internal/turn", "internal/toolkit/shell", "only internal/runtime or internal/runner imports toolkits"},
		{"internal/turn", "internal/script", "neighbours never import each other"},
		{"internal/turncli", "internal/turn", "imports point down"},
		{"internal/turn", "internal/runtime", "imports point down"},
		{"internal/worker/local", "internal/worker", pass},
		{"internal/worker/local", "internal/worker/docker", "neighbours never import each other"},
		{"internal/worker", "internal/worker/local", "imports point down"},
		{"internal/supervise", "internal/supervise/wire", pass},
		{"internal/prompt", "internal/worker", "neighbours never import each other"},
		{"internal/model/openai", "internal/model", pass},
		{"internal/model/openai", "internal/model/wire", pass},
		{"internal/model/wire", "internal/model/openai", "neighbours never import each other"},
		{"internal/model/openai", "internal/model/anthropic", "neighbours never import each other"},
		{"internal/tool", "internal/approval", "imports point down"},
		{"internal/tool", "internal/store", pass},
		{"internal/chat", "internal/config", "neighbours never import each other"},
		{"internal/store", "internal/clock", pass},
		{"internal/store/storetest", "internal/store", pass},
		{"internal/chat", "internal/store/storetest", "support for tests"},
		{"internal/canonical", "internal/identity", "neighbours never import each other"},
		{"test/rig", "internal/toolkit/shell", pass},
		{"test/story", "test/homeserver", pass},
	} {
		got := judge(c.from, c.to)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s importing %s is judged %q, want %q", c.from, c.to, got, c.want)
		}
	}
	for path, want := range map[string]bool{"internal/new": true, "internal/toolkit": true, "internal/toolkit/new": false, "internal/tool/new": false, "test/new": false, "cmd/new": false} {
		if got := homeless(path) != ""; got != want {
			t.Errorf("%s has no place: %v, want %v", path, got, want)
		}
	}
}
