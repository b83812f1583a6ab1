package file

import (
	"context"
	"errors"
	"io/fs"

	"mindroom/internal/tool"
)

// maxVisited bounds how many entries one search looks at.
const maxVisited = 50_000

type searchArgs struct {
	Pattern string `json:"pattern" jsonschema:"For example *.py, or reports/**/*.csv."`
}

type searchResult struct {
	head
	Pattern string   `json:"pattern"`
	Files   []string `json:"files"`
	// Truncated is true when the search ended at one of its bounds.
	Truncated bool `json:"truncated"`
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

func searchFiles(ctx context.Context, w *workspace, args searchArgs) (any, error) {
	match, err := compile(args.Pattern)
	if err != nil {
		return nil, tool.Faultf(tool.FaultArguments, "the pattern cannot be used: %v", err)
	}
	result := searchResult{head: ok("search_files", ""), Pattern: args.Pattern, Files: []string{}}
	visited := 0
	err = fs.WalkDir(w.root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if visited++; visited > maxVisited || len(result.Files) >= maxListed {
			result.Truncated = true
			return errEnough
		}
		// A directory that cannot be read hides what is in it, nothing else.
		if err == nil && path != "." && match.matches(path) {
			result.Files = append(result.Files, shown(path, e))
		}
		return nil
	})
	switch {
	case errors.Is(err, errEnough), err == nil:
		return result, nil
	case ctx.Err() != nil:
		return nil, failf("the search was cancelled")
	}
	return nil, explain(".", err)
}
