package file

import (
	"bytes"
	"context"
	"io"
	"unicode/utf8"

	"mindroom/internal/tool"
)

// maxText is the largest text, in bytes, that is read or written at once. A
// larger file is read in chunks, up to maxChunked.
const (
	maxText    = 1 << 20
	maxChunked = 64 << 20
)

type readArgs struct {
	FileName string `json:"file_name" jsonschema:"Path of the file, relative to the workspace."`
}

type readResult struct {
	head
	Content string `json:"content"`
	Bytes   int    `json:"bytes"`
}

func readFile(ctx context.Context, w *workspace, args readArgs) (any, error) {
	name, fault := w.local(args.FileName)
	if fault != nil {
		return nil, fault
	}
	if seen, is, err := w.picture(ctx, name); is {
		return seen, err
	}
	text, fault := w.text(name, maxText)
	if fault != nil {
		return nil, fault
	}
	return readResult{ok("read_file", name), string(text), len(text)}, nil
}

// text reads a whole text file of at most limit bytes.
func (w *workspace) text(name string, limit int64) ([]byte, *tool.Fault) {
	f, size, fault := w.regular(name)
	if fault != nil {
		return nil, fault
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, explain(name, err)
	case int64(len(raw)) > limit && limit < maxChunked:
		return nil, failf("%s has %d bytes, more than the %d that are read at once; use read_file_chunk", name, size, limit)
	case int64(len(raw)) > limit:
		return nil, failf("%s has %d bytes, more than the %d this tool takes", name, size, limit)
	case bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw):
		return nil, failf("%s is binary (%d bytes); only UTF-8 text is read", name, size)
	}
	return raw, nil
}
