package memory

import (
	"context"
	"errors"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/memory"
	"mindroom/internal/tool"
)

// New makes the toolkit; now dates what is remembered. It has no settings: it
// works in the workspace that comes with each call, a private agent's own for
// each requester.
func New(now func() time.Time) tool.Toolkit {
	keeper := memory.NewKeeper(now)
	return tool.Toolkit{
		Name:    "memory",
		Purpose: "Remember, find, change and forget notes that later conversations see (needs memory_backend: file).",
		Build: func(env tool.Env) ([]tool.Function, error) {
			if a := env.Snapshot.Config.Agents[env.Agent]; a == nil || a.MemoryBackend != config.MemoryFile {
				return nil, nil
			}
			return functions(keeper), nil
		},
	}
}

func functions(k *memory.Keeper) []tool.Function {
	return []tool.Function{
		function("add_memory", "Remember a fact for later conversations, one a call.\nIt stands in MEMORY.md, which you are shown each time, "+
			"or, when that is full, in memory/, which search_memories finds.", tool.Exclusive,
			func(dir string, a contentArgs) (string, error) {
				return one("Remembered in %s: ")(k.Add(dir, a.Content))
			}),
		function("search_memories", "Find memories by the words in them, best first.", tool.Shared,
			func(dir string, a searchArgs) (string, error) {
				limit, err := bound(a.Limit, 5, 50)
				if err != nil {
					return "", err
				}
				found, err := k.Search(dir, a.Query, limit)
				return many(found, limit, "Nothing remembered has any of these words."), err
			}),
		function("list_memories", "List what is remembered: MEMORY.md first, then memory/, the newest day first.", tool.Shared,
			func(dir string, a listArgs) (string, error) {
				limit, err := bound(a.Limit, 50, 200)
				if err != nil {
					return "", err
				}
				all, err := k.All(dir)
				return many(all, limit, "Nothing is remembered yet."), err
			}),
		function("get_memory", "Show one memory by its id.", tool.Shared,
			func(dir string, a idArgs) (string, error) { return one("In %s: ")(k.Get(dir, a.ID)) }),
		function("update_memory", "Replace the text of a memory; its id stays.", tool.Exclusive,
			func(dir string, a updateArgs) (string, error) {
				return one("Changed in %s: ")(k.Update(dir, a.ID, a.Content))
			}),
		function("delete_memory", "Forget a memory.", tool.Exclusive,
			func(dir string, a idArgs) (string, error) { return one("Deleted from %s: ")(k.Delete(dir, a.ID)) }),
	}
}

func function[In any](name, description string, class tool.Class, run func(dir string, args In) (string, error)) tool.Function {
	spec := tool.Spec{Name: name, Description: description, Class: class}
	return tool.Typed(spec, func(_ context.Context, in tool.Invocation, args In) (any, error) {
		if in.Workspace == "" {
			return nil, tool.Faultf(tool.FaultTool, "this agent has no workspace here, so it remembers nothing")
		}
		text, err := run(in.Workspace, args)
		if err != nil {
			return nil, explain(err)
		}
		return text, nil
	})
}

// explain makes an error a fault of the call.
func explain(err error) error {
	var e *memory.Error
	switch {
	case !errors.As(err, &e):
		return err
	case e.Kind == memory.Unusable:
		return tool.Faultf(tool.FaultArguments, "%s", e.Text)
	}
	return tool.Faultf(tool.FaultTool, "%s", e.Text)
}
