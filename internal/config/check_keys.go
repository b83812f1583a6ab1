package config

import (
	"slices"

	"mindroom/internal/config/format"
)

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
		d.warnOnce(o.Name+"."+k.Name, e.keyPos, e.value.path, k.Idle)
	}
	d.inIdle++
	d.check(e.value, k.Shape)
	d.inIdle--
}
