package config

import (
	"fmt"
	"slices"
	"strconv"

	"mindroom/internal/config/format"
)

// check holds the value at n against its shape and tells every fault. What is refused becomes absent, so that whoever reads
// the tree afterwards meets only what is right. n is never absent; a null is right where an empty mapping or list would be.
func (d *decoder) check(n *node, s format.Shape) {
	before := len(d.errs)
	if s.Also != "" && n.kind == kindScalar && n.text == s.Also {
		return
	}
	switch s.Kind {
	case format.List:
		d.checkList(n, s)
		return
	case format.Map:
		d.checkMap(n, s)
		return
	case format.Fixed:
		d.checkFixed(n, s)
		return
	case format.Tools:
		return // the names in it decide what may stand below them: tools.go
	case format.Free:
		d.free(n)
	case format.Text:
		d.checkText(n, s)
	case format.Bool:
		d.boolean(n)
	case format.Int:
		if i, ok := d.integer(n); ok {
			d.checkLimits(n, s, float64(i))
		}
	case format.Number:
		if f, ok := d.number(n); ok {
			d.checkLimits(n, s, f)
		}
	}
	if len(d.errs) > before {
		n.refuse()
	}
}

// refuse makes a value that was told to be wrong absent.
func (n *node) refuse() { n.kind, n.refused, n.items, n.entries = kindNull, true, nil, nil }

func (d *decoder) checkText(n *node, s format.Shape) {
	text, ok := d.text(n)
	switch {
	case !ok:
	case s.Words != nil && !slices.Contains(s.Words, text):
		d.fail(n, "unknown value %q%s", clip(text), meant(text, s.Words))
	default:
		d.checkForm(n, s.Form)
	}
}

func (d *decoder) checkLimits(n *node, s format.Shape, v float64) {
	low := s.Min != nil && (v < *s.Min || s.Over && v == *s.Min)
	if low || s.Max != nil && v > *s.Max {
		d.fail(n, "must be %s", limits(s))
	}
}

// limits says what numbers a shape allows.
func limits(s format.Shape) string {
	number := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	switch {
	case s.Kind == format.Int && s.Min != nil && s.Max != nil:
		return fmt.Sprintf("a whole number from %s to %s", number(s.Min), number(s.Max))
	case s.Min == nil:
		return "at most " + number(s.Max)
	}
	least := "at least "
	if s.Over {
		least = "greater than "
	}
	if s.Max == nil {
		return least + number(s.Min)
	}
	return least + number(s.Min) + " and at most " + number(s.Max)
}

func (d *decoder) checkList(n *node, s format.Shape) {
	if n.kind == kindNull {
		return
	}
	if n.kind != kindList {
		d.fail(n, "must be a list")
		n.refuse()
		return
	}
	seen := map[string]bool{}
	right := n.items[:0]
	for _, item := range n.items {
		if s.Set && item.kind == kindScalar && item.tag == "!!str" {
			if item.text == "" {
				d.fail(item, "must not be empty")
				continue
			}
			if seen[item.text] {
				d.fail(item, "%q is listed twice", clip(item.text))
				continue
			}
			seen[item.text] = true
		}
		if d.check(item, *s.Of); !item.refused {
			right = append(right, item)
		}
	}
	n.items = right
}

func (d *decoder) checkMap(n *node, s format.Shape) {
	if n.kind == kindNull {
		return
	}
	if n.kind != kindMap {
		d.fail(n, "must be a mapping of names to values")
		n.refuse()
		return
	}
	for _, e := range n.entries {
		d.checkForm(&node{pos: e.keyPos, path: e.value.path, text: e.key}, s.Keys)
		d.check(e.value, *s.Of)
	}
}
