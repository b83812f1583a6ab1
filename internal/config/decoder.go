package config

import (
	"fmt"
	"maps"
	"slices"
)

// decoder carries what every section reader needs. It lives for one file.
type decoder struct {
	file       string
	dir        string // of the file: relative paths start there
	catalog    Catalog
	env        Env
	errs       Errors
	warns      Warnings
	references []reference
	unheeded   map[string]int // "section.key" → index in warns, so that fifty agents give one warning
	unheededN  map[string]int
}

func (d *decoder) fail(n *node, format string, args ...any) {
	d.failAt(n.pos, n.path, format, args...)
}

func (d *decoder) failAt(pos Pos, path, format string, args ...any) {
	d.errs = append(d.errs, Error{Pos: pos, Path: path, Message: fmt.Sprintf(format, args...)})
}

func (d *decoder) warn(pos Pos, path, format string, args ...any) {
	d.warns = append(d.warns, Warning{Pos: pos, Path: path, Message: fmt.Sprintf(format, args...)})
}

// warnUnheeded tells once per kind of key that this version does nothing with it.
func (d *decoder) warnUnheeded(sort string, e entry) {
	id := sort + "." + e.key
	if _, told := d.unheeded[id]; told {
		d.unheededN[id]++
		return
	}
	d.unheeded[id] = len(d.warns)
	d.warn(e.keyPos, e.value.path, "not supported yet: has no effect")
}

// countUnheeded adds to each such warning how often the key came again.
func (d *decoder) countUnheeded() {
	for _, id := range slices.Sorted(maps.Keys(d.unheededN)) {
		places := "places"
		if d.unheededN[id] == 1 {
			places = "place"
		}
		d.warns[d.unheeded[id]].Message += fmt.Sprintf(" (nor in %d more %s)", d.unheededN[id], places)
	}
}
