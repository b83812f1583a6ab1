package config

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Bounds of includes, beside those of the tree. A file that is included twice counts twice, because it is read into the tree
// twice.
const (
	maxNesting    = 16
	maxInclusions = 2000
	maxBytes      = 16 << 20
)

// includeTag begins every tag that brings in other files.
const includeTag = "!include"

// inclusion is what a builder knows about files.
type inclusion struct {
	dir      string // folder of the configuration, absolute; root of files
	files    fs.FS  // nil: nothing can be included
	source   *Source
	stack    []string // files that are open, from the configuration to the innermost, as names in files
	included int
	bytes    int
}

// include puts what a tag brings in into the place of n. first is the index of a list's first item.
func (b *builder) include(y *yaml.Node, n *node, first int) *node {
	tag := y.ShortTag()
	bring, known := map[string]func(n *node, name string, first int) *node{
		"!include":                 b.includeFile,
		"!include_text":            b.includeText,
		"!include_dir_list":        b.includeList,
		"!include_dir_merge_list":  b.includeMergedList,
		"!include_dir_named":       b.includeNamed,
		"!include_dir_merge_named": b.includeMergedNamed,
	}[tag]
	switch {
	case !known:
		b.fail(n.pos, n.path, "the tag %s is unknown; allowed: !include, !include_text, !include_dir_list, !include_dir_merge_list, "+
			"!include_dir_named or !include_dir_merge_named", clip(tag))
	case y.Kind != yaml.ScalarNode || y.Value == "":
		b.fail(n.pos, n.path, "%s needs one path after it, as in %s agents/watcher", tag, tag)
	case b.files == nil:
		b.fail(n.pos, n.path, "%s works only in a file on disk; write the text itself here", tag)
	default:
		if name, wrong := b.target(y.Value); wrong != "" {
			b.fail(n.pos, n.path, "%s: %s", tag, wrong)
		} else {
			return bring(n, name, first)
		}
	}
	return n
}

// target is the name in files of a path written in the current file; wrong says why there is none.
func (b *builder) target(written string) (name, wrong string) {
	if strings.HasPrefix(written, "/") || strings.ContainsAny(written, "\\\x00") {
		return "", "the path must be relative to this file, with forward slashes"
	}
	for _, part := range strings.Split(written, "/") {
		if strings.HasPrefix(part, ".") && part != "." {
			return "", "no part of the path may begin with a dot, so it cannot leave the folder of the configuration"
		}
	}
	name = path.Join(path.Dir(b.stack[len(b.stack)-1]), written)
	if name == "." {
		return "", "the path must name a file or a folder below that of the configuration"
	}
	return name, ""
}

// includeFile is !include: the value of another file.
func (b *builder) includeFile(n *node, name string, first int) *node {
	if i := slices.Index(b.stack, name); i >= 0 {
		b.fail(n.pos, n.path, "this file includes itself: %s; take one of them out", strings.Join(append(slices.Clone(b.stack[i:]), name), " → "))
		return n
	}
	if len(b.stack) > maxNesting {
		b.fail(n.pos, n.path, "files include each other more than %d deep here", maxNesting)
		return n
	}
	data, ok := b.read(n, name)
	if !ok {
		return n
	}
	outside := b.file
	b.file, b.stack = b.place(name), append(b.stack, name)
	defer func() { b.file, b.stack = outside, b.stack[:len(b.stack)-1] }()
	start := Pos{b.file, 1, 1}
	root, fault := parse(b.file, data)
	switch {
	case fault != nil:
		b.fail(fault.Pos, n.path, "%s", fault.Message)
	case root != nil:
		return b.buildFrom(root, start, n.path, first)
	}
	return &node{pos: start, path: n.path}
}

// includeText is !include_text: the text of a file as it is.
func (b *builder) includeText(n *node, name string, _ int) *node {
	data, ok := b.read(n, name)
	switch {
	case !ok:
		return n
	case len(data) > MaxFileBytes:
		b.fail(n.pos, n.path, "the file %s is larger than 1 MiB", name)
		return n
	case !utf8.Valid(data):
		b.fail(n.pos, n.path, "the file %s is not UTF-8; save it as UTF-8", name)
		return n
	}
	return &node{kind: kindScalar, pos: Pos{b.place(name), 1, 1}, path: n.path, tag: "!!str", text: string(data)}
}

// place is where a name in files lies.
func (b *builder) place(name string) string { return filepath.Join(b.dir, filepath.FromSlash(name)) }

// read reads one more file within the bounds, and notes it.
func (b *builder) read(at *node, name string) (data []byte, ok bool) {
	if b.full {
		return nil, false
	}
	if b.included++; b.included > maxInclusions {
		b.stop(at, "more than %d files are included", maxInclusions)
		return nil, false
	}
	data, err := readIn(b.files, name)
	if err != nil {
		b.fail(at.pos, at.path, "the file %s cannot be included: %s", name, reason(err))
		b.note(File{Path: b.place(name)})
		return nil, false
	}
	b.note(File{b.place(name), digest(data)})
	if b.bytes += len(data); b.bytes > maxBytes {
		b.stop(at, "the included files hold more than %d MiB together", maxBytes>>20)
		return nil, false
	}
	return data, true
}

// stop ends the building, told once.
func (b *builder) stop(at *node, format string, args ...any) {
	if !b.full {
		b.full = true
		b.fail(at.pos, at.path, format, args...)
	}
}

// note lists a file once, also one that is missing: it may appear.
func (b *builder) note(f File) {
	if !slices.ContainsFunc(b.source.Files, func(have File) bool { return have.Path == f.Path }) {
		b.source.Files = append(b.source.Files, f)
	}
}

func readIn(files fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(name, info, func() (fs.File, error) { return files.Open(name) })
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readBounded(f)
}

// reason is why a file cannot be read, without a path: the message names it already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
