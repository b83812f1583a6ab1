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

// checkFixed judges a mapping with fixed keys, or what may stand in its place.
func (d *decoder) checkFixed(n *node, s format.Shape) {
	switch {
	case n.kind == kindMap:
		d.checkKeys(n, s.Object)
	case n.kind == kindNull:
		d.checkRequired(n, s.Object)
	case s.Short == nil:
		d.fail(n, "must be a mapping of keys to values")
		n.refuse()
	case n.kind == kindList == (s.Short.Kind == format.List):
		d.check(n, *s.Short)
	default:
		short := "one word or text"
		if s.Short.Kind == format.List {
			short = "a list"
		}
		d.fail(n, "must be %s, or a mapping with %s", short, oneOf(s.Object.Names()))
		n.refuse()
	}
}

func (d *decoder) checkKeys(n *node, o *format.Object) {
	for _, e := range n.entries {
		switch k := o.Find(e.key); {
		case k == nil && o.Open:
			d.check(e.value, format.Shape{Kind: format.Free})
		case k == nil:
			d.failAt(e.keyPos, e.value.path, "unknown key%s", meant(e.key, o.Names()))
		case k.Removed != "":
			d.failAt(e.keyPos, e.value.path, "this key was removed; %s", k.Removed)
		case e.value.kind == kindNull:
		case k.Idle != "":
			d.idle(o, k, e)
		default:
			d.check(e.value, k.Shape)
		}
	}
	d.checkRequired(n, o)
	for _, pair := range o.Exclusive {
		if first, second := n.find(pair[0]), n.find(pair[1]); usable(first) && usable(second) {
			d.fail(second, "excludes %s; keep one of the two", pair[0])
			second.refuse()
		}
	}
	if o.Any != nil && !slices.ContainsFunc(o.Any, func(name string) bool { return given(n.find(name)) }) {
		d.fail(n, "needs %s", oneOf(o.Any))
	}
}

func (d *decoder) checkRequired(n *node, o *format.Object) {
	for _, k := range o.Keys {
		if k.Required && !given(n.find(k.Name)) {
			d.failAt(n.pos, childPath(n.path, k.Name), "is required")
		}
	}
}

func usable(n *node) bool { return n != nil && n.kind != kindNull }

// given tells a value that its author meant, if only to be told that it is wrong.
func given(n *node) bool { return n != nil && (n.kind != kindNull || n.refused) }

// idle judges what this version does nothing with, and says so once for the outermost key.
func (d *decoder) idle(o *format.Object, k *format.Key, e entry) {
	if d.inIdle == 0 {
		d.warnOnce(o.Name+"."+k.Name, e, k.Idle)
	}
	d.inIdle++
	d.check(e.value, k.Shape)
	d.inIdle--
}
