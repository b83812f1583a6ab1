package config

import (
	"io/fs"
	"path/filepath"
)

// composed is a configuration with everything it includes in place.
type composed struct {
	tree   *node // a mapping, unless fault is set
	source Source
	errs   Errors // of the building; the tree can be judged all the same
	fault  Errors // what made judging pointless; nil: nothing
}

// compose builds the tree of data, the text of file. Includes are read from files, whose root is the folder of file; nil: the
// text may have none.
func compose(file string, data []byte, files fs.FS) composed {
	c := composed{source: Source{Path: file, Files: []File{{file, digest(data)}}}}
	b := &builder{file: file, errs: &c.errs, inclusion: inclusion{
		dir: filepath.Dir(file), files: files, source: &c.source, stack: []string{filepath.Base(file)},
	}}
	root, fault := parse(file, data)
	switch {
	case fault != nil:
		c.fault = Errors{*fault}
		return c
	case root == nil:
		c.fault = Errors{{Pos: Pos{file, 1, 1}, Message: emptyFile}}
		return c
	}
	c.tree = b.build(root, Pos{file, 1, 1}, "")
	c.source.seal()
	switch {
	case c.tree.kind == kindNull && len(c.errs) == 0:
		c.fault = Errors{{Pos: c.tree.pos, Message: emptyFile}}
	case c.tree.kind != kindMap && len(c.errs) == 0:
		c.fault = Errors{{Pos: c.tree.pos, Message: "the file must be a mapping, with keys such as models and agents at its left margin"}}
	case c.tree.kind != kindMap || b.full:
		sortErrors(c.errs, c.source.Files)
		c.fault = c.errs
	}
	return c
}
