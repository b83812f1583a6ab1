package config

import (
	"fmt"
	"time"

	"mindroom/internal/config/format"
)

// section reads one mapping that check has judged, so no read finds a fault: what is absent, null or refused gives the format's
// default. Reading a key the format does not have panics: it is a slip in this package, which its first test meets.
type section struct {
	d      *decoder
	n      *node // a mapping; an empty one for an absent section
	object *format.Object
	broken bool // it was refused, so what is missing in it is no news
}

func (d *decoder) section(n *node, o *format.Object) *section {
	s := &section{d: d, n: n, object: o}
	switch {
	case n == nil:
		s.n = &node{kind: kindMap, pos: Pos{d.file, 1, 1}, path: o.Name}
	case n.kind != kindMap:
		s.n, s.broken = &node{kind: kindMap, pos: n.pos, path: n.path}, n.refused
	}
	return s
}

func (s *section) key(name string) *format.Key {
	k := s.object.Find(name)
	if k == nil {
		panic(fmt.Sprintf("config: the format has no key %s in %q", name, s.object.Name))
	}
	if s.d.onRead != nil {
		s.d.onRead(k)
	}
	return k
}

// get returns the value of a key; nil when it is absent or null, because null means "the default" everywhere.
func (s *section) get(name string) *node {
	s.key(name)
	if v := s.n.find(name); v != nil && v.kind != kindNull {
		return v
	}
	return nil
}

// silent tells a key that is neither given nor refused.
func (s *section) silent(name string) bool {
	v := s.n.find(name)
	return !s.broken && (v == nil || v.kind == kindNull && !v.refused)
}

// standard is the default of a key, the zero value when it has none.
func standard[T any](s *section, name string) T {
	v, _ := s.key(name).Default.(T)
	return v
}

// sub is the section under a key.
func (s *section) sub(name string) *section {
	return s.d.section(s.get(name), s.key(name).Shape.Object)
}

// members are the sections under a key with free names.
func (s *section) members(name string) []member {
	var all []member
	for _, e := range entries(s.get(name)) {
		all = append(all, member{e, s.d.section(e.value, s.key(name).Shape.Of.Object)})
	}
	return all
}

type member struct {
	entry
	*section
}

func (s *section) text(name string) string {
	if v := s.get(name); v != nil {
		return v.text
	}
	return standard[string](s, name)
}

func (s *section) boolean(name string) bool {
	if v := s.optionalBool(name); v != nil {
		return *v
	}
	return standard[bool](s, name)
}

// optionalBool is nil when the key is absent or null, for values another section supplies.
func (s *section) optionalBool(name string) *bool {
	if v := s.get(name); v != nil {
		b, _ := s.d.boolean(v)
		return &b
	}
	return nil
}

// count reads a whole number; 0 when it is absent and has no default.
func (s *section) count(name string) int {
	if v := s.get(name); v != nil {
		i, _ := s.d.integer(v)
		return int(i)
	}
	return standard[int](s, name)
}

// span reads a number of units; 0 when it is absent and has no default.
func (s *section) span(name string, unit time.Duration) time.Duration {
	f := standard[float64](s, name)
	if v := s.get(name); v != nil {
		f, _ = s.d.number(v)
		if time.Duration(f*float64(unit)) == 0 {
			s.d.fail(v, "is too small to mean anything")
		}
	}
	return time.Duration(f * float64(unit))
}

// texts reads a list of strings; nil when absent, never nil when present.
func (s *section) texts(name string) []string { return texts(s.get(name)) }

func texts(n *node) []string {
	if n == nil {
		return nil
	}
	all := []string{}
	for _, item := range n.items {
		all = append(all, item.text)
	}
	return all
}

// entries are the members of a mapping with free keys; nil for an absent one.
func entries(n *node) []entry {
	if n == nil {
		return nil
	}
	return n.entries
}
