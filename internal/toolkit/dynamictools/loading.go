package dynamictools

import (
	"context"
	"errors"
	"slices"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

type nameArgs struct {
	Name string `json:"name" jsonschema:"The toolkit, as list_tools names it."`
}

// answer is how a request to load or unload ended.
type answer struct {
	Status    string   `json:"status"`
	Tool      string   `json:"tool"`
	Functions []string `json:"functions,omitempty"`
	Message   string   `json:"message"`
}

func load(ctx context.Context, v view, a nameArgs) (any, error) {
	i, ok := v.find(a.Name)
	if !ok {
		return v.unknown(a.Name), nil
	}
	var broken *tool.BuildError
	for _, problem := range v.surface.Problems {
		if errors.As(problem, &broken) && broken.Toolkit == a.Name {
			return answer{Status: "tool_unavailable", Tool: a.Name, Message: "The toolkit cannot be built: " + broken.Err.Error()}, nil
		}
	}
	switch {
	case i.Loaded:
		return answer{Status: "already_loaded", Tool: a.Name, Functions: i.Functions, Message: "You have its functions already."}, nil
	case len(i.Functions) == 0:
		return answer{Status: "tool_unavailable", Tool: a.Name, Message: "The toolkit has no functions at the moment; try again later."}, nil
	}
	for _, function := range i.Functions {
		if other := v.surface.Bare(function); other != nil {
			return answer{Status: "function_name_collision", Tool: a.Name, Functions: []string{function},
				Message: "You have a function " + function + " of " + other.Name.Toolkit + " already; unload that first."}, nil
		}
	}
	if err := v.set(ctx, a.Name, true); err != nil {
		return nil, err
	}
	return answer{Status: "loaded", Tool: a.Name, Functions: i.Functions, Message: "Its functions are yours from your next step on."}, nil
}

func unload(ctx context.Context, v view, a nameArgs) (any, error) {
	i, ok := v.find(a.Name)
	switch {
	case !ok:
		return v.unknown(a.Name), nil
	case !i.Deferred:
		return answer{Status: "sticky", Tool: a.Name, Message: "The toolkit is always loaded."}, nil
	case !i.Loaded:
		return answer{Status: "not_loaded", Tool: a.Name, Message: "It was not loaded."}, nil
	}
	if err := v.set(ctx, a.Name, false); err != nil {
		return nil, err
	}
	return answer{Status: "unloaded", Tool: a.Name, Message: "Its functions are gone from your next step on; load_tool brings them back."}, nil
}

func (v view) find(name string) (item, bool) {
	items := v.items()
	n := slices.IndexFunc(items, func(i item) bool { return i.Name == name })
	if n < 0 {
		return item{}, false
	}
	return items[n], true
}

func (v view) unknown(name string) answer {
	return answer{Status: "unknown", Tool: name, Message: "You have no toolkit of that name; list_tools lists them."}
}

func (v view) set(ctx context.Context, toolkit string, loaded bool) error {
	return v.DB.Write(ctx, func(tx *store.Tx) error { return set(tx, v.key, toolkit, loaded, v.Wall) })
}
