package config

import (
	"slices"

	"mindroom/internal/config/format"
)

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
	entries, seen, presets := []ToolEntry{}, map[string]Pos{}, []ToolEntry{}
	if n == nil {
		return entries
	}
	if n.kind != kindList {
		d.fail(n, "must be a list")
		return entries
	}
	for _, item := range n.items {
		t, ok := d.toolEntry(item, origin)
		if first, twice := seen[t.Name]; twice && t.Name != "" {
			d.fail(item, "the tool %s is listed twice, first in %s; keep one", clip(t.Name), first.from(item.pos.File))
			continue
		}
		seen[t.Name] = t.Pos
		switch {
		case format.Preset(t.Name) != nil:
			presets = append(presets, t)
		case ok:
			entries = append(entries, t)
		}
	}
	for _, preset := range presets {
		entries = d.expand(entries, preset)
	}
	return entries
}

// toolEntry reads one of the three forms: a name; {name: overrides}; {name: n, overrides: …, defer: …, initial: …}.
func (d *decoder) toolEntry(n *node, origin Origin) (ToolEntry, bool) {
	t := ToolEntry{Origin: origin, Pos: n.pos}
	switch n.kind {
	case kindScalar:
		name, ok := d.text(n)
		if t.Name = name; !ok {
			return t, false
		}
		return t, d.settings(&t, n.pos, n.path, nil, false)
	case kindMap:
		if n.find("name") != nil {
			return t, d.longForm(n, &t)
		}
		if len(n.entries) == 1 {
			e := n.entries[0]
			t.Name, t.Pos = e.key, e.keyPos
			return t, d.settings(&t, e.keyPos, e.value.path, e.value, true)
		}
	}
	d.fail(n, "must be a tool's name, or one name with its settings under it, or a mapping with the key name")
	return t, false
}

func (d *decoder) longForm(n *node, t *ToolEntry) bool {
	d.check(n, format.Shape{Kind: format.Fixed, Object: format.ToolEntry()})
	s := d.section(n, format.ToolEntry())
	d.deferral(s, t)
	v := s.get("name")
	if v == nil {
		return false
	}
	t.Name = v.text
	return d.settings(t, v.pos, v.path, s.get("overrides"), false)
}

// deferral reads defer and initial where they may stand.
func (d *decoder) deferral(s *section, t *ToolEntry) {
	if v := s.get("defer"); v != nil && t.Origin == OriginDefaults {
		d.fail(v, "defaults.tools cannot defer; say it on the agent")
	} else {
		t.Defer = s.boolean("defer")
	}
	if t.Initial = s.boolean("initial"); t.Initial && !t.Defer {
		d.fail(s.get("initial"), "means something only together with defer: true")
	}
}

// settings checks the tool's name and what is set below it against the catalog; overrides may be nil. beside says that defer and
// initial may stand among the settings.
func (d *decoder) settings(t *ToolEntry, pos Pos, path string, overrides *node, beside bool) bool {
	if t.Name == OwnToolkit {
		d.failAt(pos, path, "the toolkit %s is reserved for what an agent has without being given it; take it out", OwnToolkit)
		return false
	}
	fields, known := d.catalog.Fields(t.Name)
	if !known && (format.KnownToolkit(t.Name) || format.Preset(t.Name) != nil) {
		d.absent(t, pos, path, overrides, beside)
		return false
	}
	if !known {
		d.failAt(pos, path, "unknown tool %q%s", clip(t.Name), meant(t.Name, d.toolNames()))
		return false
	}
	o := toolObject(t.Name, fields, beside)
	if overrides != nil {
		d.check(overrides, format.Shape{Kind: format.Fixed, Object: o})
	}
	s := d.section(overrides, o)
	t.Settings = s.settings(fields)
	t.Include, t.Exclude = s.texts("include_tools"), s.texts("exclude_tools")
	for _, name := range t.Exclude {
		if slices.Contains(t.Include, name) {
			d.failAt(pos, path, "%s is both in include_tools and in exclude_tools", clip(name))
		}
	}
	if beside {
		d.deferral(s, t)
	}
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
