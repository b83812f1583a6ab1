package file

import (
	"bytes"
	"context"
	"slices"

	"mindroom/internal/tool"
)

type chunkArgs struct {
	FileName  string `json:"file_name" jsonschema:"Path of the file, relative to the workspace."`
	StartLine int    `json:"start_line" jsonschema:"First line, counted from 1."`
	EndLine   int    `json:"end_line" jsonschema:"Last line, included; beyond the end of the file means its last line."`
}

type chunkResult struct {
	head
	Content   string `json:"content"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Lines     int    `json:"lines"`
}

func readChunk(_ context.Context, w *workspace, args chunkArgs) (any, error) {
	name, fault := w.local(args.FileName)
	if fault != nil {
		return nil, fault
	}
	text, fault := w.text(name, maxChunked)
	if fault != nil {
		return nil, fault
	}
	lines := split(text)
	end := min(args.EndLine, len(lines))
	switch {
	case args.StartLine < 1 || args.EndLine < args.StartLine:
		return nil, tool.Faultf(tool.FaultArguments, "start_line must be at least 1 and end_line at least start_line")
	case args.StartLine > len(lines):
		return nil, failf("%s has %d lines, so there is no line %d", name, len(lines), args.StartLine)
	}
	part := bytes.Join(lines[args.StartLine-1:end], nil)
	if len(part) > maxText {
		return nil, failf("these lines have %d bytes, more than the %d that are read at once; ask for fewer", len(part), maxText)
	}
	return chunkResult{ok("read_file_chunk", name), string(part), args.StartLine, end, len(lines)}, nil
}

type replaceArgs struct {
	FileName  string `json:"file_name" jsonschema:"Path of the file, relative to the workspace."`
	StartLine int    `json:"start_line" jsonschema:"First line to replace, counted from 1; one more than there are lines appends."`
	EndLine   int    `json:"end_line" jsonschema:"Last line to replace, included; start_line - 1 replaces none and inserts."`
	Chunk     string `json:"chunk" jsonschema:"The new text; empty deletes the lines."`
}

func replaceChunk(_ context.Context, w *workspace, args replaceArgs) (any, error) {
	name, fault := w.local(args.FileName)
	if fault != nil {
		return nil, fault
	}
	text, fault := w.text(name, maxText)
	if fault != nil {
		return nil, fault
	}
	after, fault := replace(text, args.StartLine, args.EndLine, args.Chunk)
	if fault != nil {
		return nil, fault
	}
	if fault := w.write(name, after, true); fault != nil {
		return nil, fault
	}
	return saveResult{ok("replace_file_chunk", name), len(after), len(split(after))}, nil
}

// replace puts chunk in place of lines start to end, counted from 1.
func replace(text []byte, start, end int, chunk string) ([]byte, *tool.Fault) {
	lines := split(text)
	if start < 1 || start > len(lines)+1 || end < start-1 || end > len(lines) {
		return nil, tool.Faultf(tool.FaultArguments, "the file has %d lines: start_line must be 1 to %d, and end_line start_line - 1 to %d",
			len(lines), len(lines)+1, len(lines))
	}
	before, rest := bytes.Join(lines[:start-1], nil), bytes.Join(lines[end:], nil)
	middle := []byte(chunk)
	// A chunk is made of lines: it neither runs into the line before it nor
	// swallows the one after it.
	if len(middle) > 0 && len(before) > 0 && before[len(before)-1] != '\n' {
		before = append(before, '\n')
	}
	if len(middle) > 0 && len(rest) > 0 && middle[len(middle)-1] != '\n' {
		middle = append(middle, '\n')
	}
	return slices.Concat(before, middle, rest), nil
}

// split cuts text into lines that keep their ends; a last line needs none.
func split(text []byte) [][]byte { return slices.Collect(bytes.Lines(text)) }
