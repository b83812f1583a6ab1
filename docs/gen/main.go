package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// part makes the text of one region from the repository at root.
type part func(ctx context.Context, root string) (string, error)

// parts are the regions by name. A mark that names none of them is an error.
var parts = map[string]part{
	"commands": commands,
	"agentcli": agentCLI,
	"chat":     chatCommands,
	"toolkits": toolkits,
	"faults":   faults,
	"controls": controls,
	"sdkkinds": sdkKinds,
	"refusals": refusals,
	"models":   modelKinds,
	"states":   states,
	"reasons":  reasons,
	"causes":   causes,
	"run":      runObject,
	"exits":    exits,

	"keys":               rootKeys,
	"keys.tools":         toolKeys,
	"keys.models":        keysOf("models"),
	"keys.agents":        keysOf("agents"),
	"keys.authorization": keysOf("authorization"),
	"keys.approval":      keysOf("tool_approval"),
	"keys.hooks":         keysOf("tool_hooks"),
	"keys.mcp":           keysOf("mcp_servers"),
	"keys.defaults":      keysOf("defaults"),
	"keys.rooms":         keysOf("rooms", "router", "matrix_room_access", "mindroom_user"),
	"keys.memory":        keysOf("memory"),
	"keys.idle":          keysOf("teams", "matrix_space", "matrix_sync", "event_journal", "debug", "plugins", "cultures"),
}

func main() {
	check := flag.Bool("check", false, "write nothing; exit 1 if a page is not up to date")
	root := flag.String("root", ".", "the top of the repository")
	flag.Parse()
	stale, err := generate(context.Background(), *root, !*check)
	if err != nil {
		fmt.Fprintf(os.Stderr, "gen: %v\n", err)
		os.Exit(1)
	}
	for _, page := range stale {
		fmt.Println(page)
	}
	if *check && len(stale) > 0 {
		fmt.Fprintln(os.Stderr, "gen: these pages are not up to date: run 'go run ./docs/gen'")
		os.Exit(1)
	}
}

// generate fills every region of every page below docs, writes the pages that
// changed if write is true, and returns their paths.
func generate(ctx context.Context, root string, write bool) (changed []string, err error) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*", "*.md"))
	if err != nil || len(pages) == 0 {
		return nil, errors.Join(err, errors.New("no pages found: run it at the top of the repository"))
	}
	used := map[string]bool{}
	for _, page := range pages {
		before, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		after, err := fill(before, func(name string) (string, error) {
			make, ok := parts[name]
			if !ok {
				return "", fmt.Errorf("no part is called %q", name)
			}
			used[name] = true
			return make(ctx, root)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", page, err)
		}
		if bytes.Equal(before, after) {
			continue
		}
		changed = append(changed, page)
		if write {
			if err := os.WriteFile(page, after, 0o644); err != nil {
				return nil, err
			}
		}
	}
	for name := range parts {
		if !used[name] {
			return nil, fmt.Errorf("no page has the part %q", name)
		}
	}
	return changed, nil
}
