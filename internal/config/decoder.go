package config

import (
	"fmt"
	"maps"
	"slices"

	"mindroom/internal/config/format"
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
	told       map[string]int    // "section.key" or "tool name" → index in warns, so that fifty agents give one warning
	again      map[string]int    // how often the key came after that
	inIdle     int               // how many keys without effect we are inside of
	onRead     func(*format.Key) // for the test that every key is read; else nil
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

// warnOnce tells something about a sort of key at the first place it stands.
func (d *decoder) warnOnce(id string, pos Pos, path, message string) {
	if _, told := d.told[id]; told {
		d.again[id]++
		return
	}
	d.told[id] = len(d.warns)
	d.warn(pos, path, "%s", message)
}

// countAgain adds to each such warning how often the key came again.
func (d *decoder) countAgain() {
	for _, id := range slices.Sorted(maps.Keys(d.again)) {
		places := "places"
		if d.again[id] == 1 {
			places = "place"
		}
		d.warns[d.told[id]].Message += fmt.Sprintf(" (nor in %d more %s)", d.again[id], places)
	}
}
