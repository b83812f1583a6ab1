package dynamictools

import (
	"context"

	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Deps is what the toolkit works with.
type Deps struct {
	DB *store.DB
	// Surface is what an agent has under a configuration: the registry's, which is
	// made after its toolkits.
	Surface func(snap *config.Snapshot, agent string) (*tool.Surface, error)
	// Purpose is a toolkit's line for listings.
	Purpose func(toolkit string) string
	Wall    clock.Wall
}

// New makes the toolkit. It is implied by a deferred tool.
func New(d Deps) tool.Toolkit {
	return tool.Toolkit{
		Name:    "dynamic_tools",
		Purpose: "List, search, load and unload the toolkits that are deferred.",
		Build: func(tool.Env) ([]tool.Function, error) {
			return []tool.Function{
				typed(d, "list_tools", "List your toolkits and whether each is loaded.\nThe functions of one that is not can be called after load_tool.", tool.Shared, list),
				typed(d, "tool_search", "Find toolkits by name, purpose or the names of their functions, best first.", tool.Shared, search),
				typed(d, "load_tool", "Load a toolkit: its functions are yours from your next step on, in this conversation.", tool.Exclusive, load),
				typed(d, "unload_tool", "Unload a toolkit whose functions are not needed any more in this conversation.", tool.Exclusive, unload),
			}, nil
		},
	}
}

// typed makes a function that works on the caller's view.
func typed[In any](d Deps, name, description string, class tool.Class, run func(context.Context, view, In) (any, error)) tool.Function {
	spec := tool.Spec{Name: name, Description: description, Class: class, Native: true}
	return tool.Typed(spec, func(ctx context.Context, in tool.Invocation, args In) (any, error) {
		v, err := d.view(ctx, in)
		if err != nil {
			return nil, err
		}
		return run(ctx, v, args)
	})
}

// view is what one call sees: the agent's toolkits in its conversation.
type view struct {
	Deps
	key     key
	surface *tool.Surface
}

func (d Deps) view(ctx context.Context, in tool.Invocation) (view, error) {
	surface, err := d.Surface(in.Snapshot, in.Who.Agent)
	if err != nil {
		return view{}, err
	}
	var loaded map[string]bool
	err = d.DB.Read(ctx, func(q *store.Reader) (err error) {
		loaded, err = Loaded(q, in.Snapshot, in.Who)
		return err
	})
	return view{Deps: d, key: keyFor(in.Snapshot, in.Who), surface: surface.With(loaded)}, err
}
