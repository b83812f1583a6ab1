package dynamictools

import (
	"context"
	"slices"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// item is one toolkit in an answer.
type item struct {
	Name      string   `json:"name"`
	Purpose   string   `json:"purpose,omitempty"`
	Loaded    bool     `json:"loaded"`
	Deferred  bool     `json:"deferred"`
	Functions []string `json:"functions,omitempty"`
}

type listing struct {
	Status string `json:"status"`
	Tools  []item `json:"tools"`
}

type noArgs struct{}

func list(_ context.Context, v view, _ noArgs) (any, error) {
	return listing{"ok", v.items()}, nil
}

// items are all toolkits in the agent's order.
func (v view) items() []item {
	functions := map[string][]string{}
	for _, f := range v.surface.Functions() {
		functions[f.Name.Toolkit] = append(functions[f.Name.Toolkit], f.Name.Function)
	}
	all := []item{}
	for _, name := range v.surface.Toolkits() {
		if name == config.OwnToolkit {
			continue // nobody chose it, and nothing of it is loaded
		}
		deferred, _ := v.surface.Deferral(name)
		all = append(all, item{name, v.Purpose(name), v.surface.Loaded(name), deferred, functions[name]})
	}
	return all
}

// Bounds of a search.
const (
	defaultResults = 5
	maxResults     = 20
)

type searchArgs struct {
	Query      string `json:"query" jsonschema:"A word or a name."`
	MaxResults *int   `json:"max_results,omitempty" jsonschema:"At most 20; 5 if left out."`
}

func search(_ context.Context, v view, a searchArgs) (any, error) {
	limit := defaultResults
	if a.MaxResults != nil {
		limit = *a.MaxResults
	}
	query := strings.ToLower(strings.TrimSpace(a.Query))
	switch {
	case query == "":
		return nil, tool.Faultf(tool.FaultArguments, "query is empty; list_tools lists everything")
	case limit < 1 || limit > maxResults:
		return nil, tool.Faultf(tool.FaultArguments, "max_results must be between 1 and %d", maxResults)
	}
	items := v.items()
	scores := map[string]int{}
	for _, i := range items {
		scores[i.Name] = score(i, query)
	}
	items = slices.DeleteFunc(items, func(i item) bool { return scores[i.Name] == 0 })
	slices.SortStableFunc(items, func(a, b item) int { return scores[b.Name] - scores[a.Name] })
	return listing{"ok", items[:min(limit, len(items))]}, nil
}

// score says how well a toolkit fits (spec/runtime.md 6.10); a function's name counts
// as one of the toolkit's.
func score(i item, query string) int {
	best := 0
	for _, name := range append([]string{i.Name}, i.Functions...) {
		name = strings.ToLower(name)
		switch {
		case name == query:
			return 100
		case strings.HasPrefix(name, query):
			best = max(best, 80)
		case strings.Contains(name, query):
			best = max(best, 60)
		}
	}
	if best == 0 && strings.Contains(strings.ToLower(i.Purpose), query) {
		best = 40
	}
	return best
}
