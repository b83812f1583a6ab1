package config

import "slices"

// Origin says why an agent has a tool.
type Origin string

// Where a tool entry comes from (spec: tool entries and merge order).
const (
	OriginAgent    Origin = "agent"    // the agent's own list
	OriginDefaults Origin = "defaults" // defaults.tools
	OriginImplied  Origin = "implied"  // another tool or key of the agent brings it
)

// ToolEntry is one toolkit of an agent (S01).
type ToolEntry struct {
	Name     string   // toolkit, as the Catalog knows it
	Settings Settings // what the file sets; the toolkit's defaults shine through
	Include  []string // include_tools: only these functions; nil: all
	Exclude  []string // exclude_tools: never these functions; wins over Include
	Defer    bool     // loaded only when asked for; true only if the Catalog has dynamic_tools
	Initial  bool     // with Defer: loaded at the start of a session
	Origin   Origin
	Pos      Pos // zero for an implied entry
}

// notDeferrable are the toolkits that control the others.
var notDeferrable = []string{"delegate", "dynamic_tools", "external_trigger_manager", "invite_router", "self_config"}

// toolEntries reads a tools list. In defaults.tools nothing can be deferred.
func (d *decoder) toolEntries(n *node, origin Origin) []ToolEntry {
	entries := []ToolEntry{}
	if n == nil {
		return entries
	}
	for _, item := range d.items(n) {
		t, ok := d.toolEntry(item, origin)
		if !ok {
			continue
		}
		if i := slices.IndexFunc(entries, func(e ToolEntry) bool { return e.Name == t.Name }); i >= 0 {
			d.fail(item, "the tool %s is listed twice, first in line %d; keep one", t.Name, entries[i].Pos.Line)
			continue
		}
		entries = append(entries, t)
	}
	return entries
}

// toolEntry reads one of the three forms: a name; {name: overrides}; {name: n, overrides: …, defer: …, initial: …}.
func (d *decoder) toolEntry(n *node, origin Origin) (ToolEntry, bool) {
	t := ToolEntry{Origin: origin, Pos: n.pos}
	switch n.kind {
	case kindScalar:
		if t.Name = d.text(n); t.Name == "" {
			return t, false
		}
		return t, d.applyOverrides(&t, n.pos, n.path, nil, false)
	case kindMap:
		if n.find("name") != nil {
			return t, d.longForm(n, &t)
		}
		if len(n.entries) == 1 {
			e := n.entries[0]
			t.Name, t.Pos = e.key, e.keyPos
			return t, d.applyOverrides(&t, e.keyPos, e.value.path, e.value, true)
		}
	}
	d.fail(n, "must be a tool's name, or one name with its settings under it, or a mapping with the key name")
	return t, false
}

func (d *decoder) longForm(n *node, t *ToolEntry) bool {
	s := d.section(n, "tools[]")
	v := s.require("name")
	overrides := s.get("overrides")
	d.deferral(s, t)
	s.done()
	if v == nil {
		return false
	}
	if t.Name = d.text(v); t.Name == "" {
		return false
	}
	return d.applyOverrides(t, v.pos, v.path, overrides, false)
}

// deferral reads defer and initial where they may stand.
func (d *decoder) deferral(s *section, t *ToolEntry) {
	later, initial := s.get("defer"), s.get("initial")
	if later != nil && t.Origin == OriginDefaults {
		d.fail(later, "defaults.tools cannot defer; say it on the agent")
	} else if later != nil {
		t.Defer, _ = d.boolean(later)
	}
	if initial == nil {
		return
	}
	if t.Initial, _ = d.boolean(initial); t.Initial && !t.Defer {
		d.fail(initial, "means something only together with defer: true")
	}
}

// applyOverrides checks the tool's name and the settings below it against the catalog. beside says that defer and initial may
// stand among the settings.
func (d *decoder) applyOverrides(t *ToolEntry, pos Pos, path string, overrides *node, beside bool) bool {
	fields, known := d.catalog.Fields(t.Name)
	if !known {
		d.failAt(pos, path, "unknown tool %q%s", clip(t.Name), meant(t.Name, d.toolNames()))
		return false
	}
	t.Settings = Settings{fields: fields, values: map[string]any{}, taken: map[string]bool{}}
	s := d.section(overrides, "tools."+t.Name)
	for _, f := range fields {
		v := s.get(f.Name)
		switch {
		case v == nil:
		case v.kind == kindScalar && v.text == inherit:
			t.Settings.taken[f.Name] = true
		default:
			if value, ok := d.setting(v, f); ok {
				t.Settings.values[f.Name] = value
			}
		}
	}
	t.Include, t.Exclude = s.names("include_tools", nil), s.names("exclude_tools", nil)
	for _, name := range t.Exclude {
		if slices.Contains(t.Include, name) {
			d.failAt(pos, path, "%s is both in include_tools and in exclude_tools", clip(name))
		}
	}
	if beside {
		d.deferral(s, t)
	}
	s.done()
	d.checkDeferral(t, pos, path)
	return true
}

func (d *decoder) checkDeferral(t *ToolEntry, pos Pos, path string) {
	if !t.Defer {
		return
	}
	if slices.Contains(notDeferrable, t.Name) {
		d.failAt(pos, path, "the tool %s controls others and cannot be deferred", t.Name)
		return
	}
	if _, can := d.catalog.Fields("dynamic_tools"); !can {
		t.Defer, t.Initial = false, false
		d.warn(pos, path, "defer: not supported yet: the tool is loaded at once")
	}
}
