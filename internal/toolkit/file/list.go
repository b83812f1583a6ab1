package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sort"
)

// maxListed bounds the entries of one list or search.
const maxListed = 1000

type listArgs struct {
	Directory string `json:"directory,omitempty" jsonschema:"Directory relative to the workspace; the workspace itself if left out."`
}

type listResult struct {
	head
	Directory string   `json:"directory"`
	Files     []string `json:"files"`
	// Truncated is true when there is more.
	Truncated bool `json:"truncated"`
}

func listFiles(_ context.Context, w *workspace, args listArgs) (any, error) {
	if args.Directory == "" {
		args.Directory = "."
	}
	dir, fault := w.local(args.Directory)
	if fault != nil {
		return nil, fault
	}
	info, err := w.root.Stat(dir)
	if err != nil {
		return nil, explain(dir, err)
	}
	if !info.IsDir() {
		return nil, failf("%s is no directory; read_file reads it", dir)
	}
	f, err := w.root.Open(dir)
	if err != nil {
		return nil, explain(dir, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(maxListed + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, explain(dir, err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries[:min(len(entries), maxListed)] {
		names = append(names, shown(e.Name(), e))
	}
	sort.Strings(names)
	return listResult{ok("list_files", ""), dir, names, len(entries) > maxListed}, nil
}

// shown marks a directory.
func shown(path string, e fs.DirEntry) string {
	if e.IsDir() {
		return path + "/"
	}
	return path
}
