package config

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// maxListed bounds the names that one folder and those below it may hold.
const maxListed = 10_000

// includeList is !include_dir_list: one item a file.
func (b *builder) includeList(n *node, name string, first int) *node {
	n.kind = kindList
	for i, file := range b.list(n, name) {
		at := &node{pos: n.pos, path: fmt.Sprintf("%s[%d]", n.path, first+i)}
		n.items = append(n.items, b.includeFile(at, file, 0))
	}
	return n
}

// includeMergedList is !include_dir_merge_list: the items of all files' lists, one after another.
func (b *builder) includeMergedList(n *node, name string, first int) *node {
	n.kind = kindList
	for _, file := range b.list(n, name) {
		part := b.includeFile(&node{pos: n.pos, path: n.path}, file, first+len(n.items))
		if part.kind != kindList && part.kind != kindNull {
			b.fail(part.pos, n.path, "the file must be a list, because !include_dir_merge_list joins lists")
		}
		n.items = append(n.items, part.items...)
	}
	return n
}

// includeNamed is !include_dir_named: one key a file, its name without the ending.
func (b *builder) includeNamed(n *node, name string, _ int) *node {
	n.kind = kindMap
	for _, file := range b.list(n, name) {
		key := strings.TrimSuffix(path.Base(file), path.Ext(file))
		pos := Pos{b.place(file), 1, 1}
		if b.fresh(n, key, pos) {
			at := &node{pos: n.pos, path: childPath(n.path, key)}
			n.entries = append(n.entries, entry{key, pos, b.includeFile(at, file, 0)})
		}
	}
	return n
}

// includeMergedNamed is !include_dir_merge_named: the keys of all files' mappings.
func (b *builder) includeMergedNamed(n *node, name string, _ int) *node {
	n.kind = kindMap
	for _, file := range b.list(n, name) {
		part := b.includeFile(&node{pos: n.pos, path: n.path}, file, 0)
		if part.kind != kindMap && part.kind != kindNull {
			b.fail(part.pos, n.path, "the file must be a mapping, because !include_dir_merge_named joins mappings")
		}
		for _, e := range part.entries {
			if b.fresh(n, e.key, e.keyPos) {
				n.entries = append(n.entries, e)
			}
		}
	}
	return n
}

// fresh refuses a key that n has already.
func (b *builder) fresh(n *node, key string, pos Pos) bool {
	for _, e := range n.entries {
		if e.key == key {
			b.fail(pos, childPath(n.path, key), "the key is given twice, first in %s; keep one", e.keyPos)
			return false
		}
	}
	return true
}

// list names the YAML files in a folder and those below it, in lexicographic order within each. Names that begin with . or _
// are somebody's drafts or a mount's own.
func (b *builder) list(n *node, name string) (found []string) {
	listed := 0
	err := fs.WalkDir(b.files, name, func(at string, d fs.DirEntry, err error) error {
		base := path.Base(at)
		listed++
		switch {
		case err != nil:
			return err
		case listed > maxListed:
			return fmt.Errorf("it holds more than %d names", maxListed)
		case at != name && (base[0] == '.' || base[0] == '_'):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			b.noteDir(at)
		case at == name:
			return fmt.Errorf("it is not a folder")
		case b.isYAML(at, d):
			found = append(found, at)
		}
		return nil
	})
	if err != nil {
		b.fail(n.pos, n.path, "the folder %s cannot be included: %s", name, reason(err))
		b.noteDir(name)
		return nil
	}
	return found
}

func (b *builder) noteDir(name string) {
	if dir := b.place(name); !slices.Contains(b.source.Dirs, dir) {
		b.source.Dirs = append(b.source.Dirs, dir)
	}
}

// isYAML tells a file by its ending. A link counts as what it leads to, because mounted configurations are made of links; a
// link that leads nowhere is kept, so that reading it tells why.
func (b *builder) isYAML(name string, d fs.DirEntry) bool {
	if ext := path.Ext(name); ext != ".yaml" && ext != ".yml" {
		return false
	}
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	info, err := fs.Stat(b.files, name)
	return err != nil || info.Mode().IsRegular()
}
