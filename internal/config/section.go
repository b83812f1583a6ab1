package config

import "slices"

// section reads one mapping with a fixed set of keys. Reading a key declares it known; done reports every other.
// All reads of an absent section give defaults, so a reader needs no case for "not there".
type section struct {
	d       *decoder
	n       *node
	sort    string // the section's kind, as agents.*; names unheeded keys
	known   []string
	heedful map[string]bool // keys read or refused
	broken  bool            // not a mapping, which was told; its missing keys are no news
}

// section opens n, which may be nil or null for an absent section. Anything but a mapping is an error.
func (d *decoder) section(n *node, sort string) *section {
	s := &section{d: d, n: n, sort: sort, heedful: map[string]bool{}}
	switch {
	case n == nil:
		s.n = &node{kind: kindMap, pos: Pos{d.file, 1, 1}, path: sort}
	case n.kind != kindMap:
		if n.kind != kindNull {
			d.fail(n, "must be a mapping of keys to values")
			s.broken = true
		}
		s.n = &node{kind: kindMap, pos: n.pos, path: n.path}
	}
	return s
}

// get returns the value of key; absent and null are both nil, because null means "the default" everywhere.
func (s *section) get(key string) *node {
	s.know(key)
	if v := s.n.find(key); v != nil && v.kind != kindNull {
		return v
	}
	return nil
}

func (s *section) know(key string) {
	if !s.heedful[key] {
		s.heedful[key] = true
		s.known = append(s.known, key)
	}
}

// require is get for a key that must be there.
func (s *section) require(key string) *node {
	v := s.get(key)
	if v == nil && !s.broken {
		s.d.failAt(s.n.pos, childPath(s.n.path, key), "is required")
	}
	return v
}

// unheeded accepts keys of the format that this version does nothing with, and warns about them.
func (s *section) unheeded(keys ...string) {
	for _, key := range keys {
		s.know(key)
		for _, e := range s.n.entries {
			if e.key == key && e.value.kind != kindNull {
				s.d.warnUnheeded(s.sort, e)
			}
		}
	}
}

// removed refuses a key that older versions had, saying what to write instead. It is not offered as a known key.
func (s *section) removed(key, instead string) {
	s.heedful[key] = true
	for _, e := range s.n.entries {
		if e.key == key {
			s.d.failAt(e.keyPos, e.value.path, "this key was removed; %s", instead)
		}
	}
}

// done reports the keys nobody asked for.
func (s *section) done() {
	for _, e := range s.n.entries {
		if !s.heedful[e.key] {
			s.d.failAt(e.keyPos, e.value.path, "unknown key%s", meant(e.key, s.known))
		}
	}
}

func (s *section) text(key, otherwise string) string {
	if v := s.get(key); v != nil {
		return s.d.text(v)
	}
	return otherwise
}

func (s *section) boolean(key string, otherwise bool) bool {
	if v := s.get(key); v != nil {
		b, _ := s.d.boolean(v)
		return b
	}
	return otherwise
}

// optionalBool is nil when the key is absent or null, for values another section supplies.
func (s *section) optionalBool(key string) *bool {
	if v := s.get(key); v != nil {
		b, _ := s.d.boolean(v)
		return &b
	}
	return nil
}

// optionalInt is nil when the key is absent or null.
func (s *section) optionalInt(key string, least int64) *int {
	v := s.get(key)
	if v == nil {
		return nil
	}
	i, ok := s.d.integer(v)
	if !ok {
		return nil
	}
	if i < least || i > maxInt {
		s.d.fail(v, "must be a whole number from %d to %d", least, int64(maxInt))
		return nil
	}
	n := int(i)
	return &n
}

// maxInt bounds every count of the file; it fits an int on any platform.
const maxInt = 1<<31 - 1

// choice reads one of a fixed set of words.
func (s *section) choice(key, otherwise string, allowed ...string) string {
	if v := s.get(key); v != nil {
		return s.d.choice(v, otherwise, allowed...)
	}
	return otherwise
}

// texts reads a list of strings; nil when absent, never nil when present.
func (s *section) texts(key string) []string {
	if v := s.get(key); v != nil {
		return s.d.texts(v)
	}
	return nil
}

// names is texts where no item may be empty or come twice. each, when not nil, sees every item's node.
func (s *section) names(key string, each func(*node)) []string {
	v := s.get(key)
	if v == nil {
		return nil
	}
	return s.d.names(v, each)
}

// entries are the members of a mapping with free keys; nil for an absent one.
func (d *decoder) entries(n *node) []entry {
	if n == nil || n.kind == kindNull {
		return nil
	}
	if n.kind != kindMap {
		d.fail(n, "must be a mapping of names to values")
		return nil
	}
	return n.entries
}

func (d *decoder) names(v *node, each func(*node)) []string {
	names := []string{}
	for _, item := range d.items(v) {
		t := d.text(item)
		switch {
		case t == "":
			if item.kind == kindScalar {
				d.fail(item, "must not be empty")
			}
			continue
		case slices.Contains(names, t):
			d.fail(item, "%q is listed twice", clip(t))
			continue
		}
		names = append(names, t)
		if each != nil {
			each(item)
		}
	}
	return names
}
