package config

import (
	"slices"
	"strings"

	"mindroom/internal/config/format"
)

// absent judges the entry of a toolkit that the format has and this build lacks, so that a file of another build loads: its settings
// are taken as they are, because only the toolkit knows them (spec/runtime.md 1).
func (d *decoder) absent(t *ToolEntry, pos Pos, path string, overrides *node, beside bool) {
	if overrides != nil {
		o := &format.Object{Name: "tools." + t.Name, Open: true}
		if beside {
			o.Keys = format.ToolDeferral()
		}
		d.check(overrides, format.Shape{Kind: format.Fixed, Object: o})
		if beside && overrides.kind == kindMap {
			d.deferral(d.section(overrides, o), t)
		}
	}
	switch preset := format.Preset(t.Name) != nil; {
	case preset && t.Defer:
		d.failAt(pos, path, "%s stands for several tools and cannot be deferred; list its tools instead", t.Name)
	case preset && overrides != nil && len(overrides.entries) > 0:
		d.failAt(pos, path, "%s stands for several tools and has no settings; list its tools instead", t.Name)
	case preset:
	case t.Defer && slices.Contains(notDeferrable, t.Name):
		d.checkDeferral(t, pos, path)
	default:
		d.warnOnce("tool "+t.Name, pos, path, "the toolkit "+t.Name+" is "+format.NotYet)
	}
}

// expand adds the toolkits that a preset stands for and the list does not name itself.
func (d *decoder) expand(entries []ToolEntry, preset ToolEntry) []ToolEntry {
	var missing []string
	for _, name := range format.Preset(preset.Name) {
		fields, known := d.catalog.Fields(name)
		listed := slices.ContainsFunc(entries, func(e ToolEntry) bool { return e.Name == name })
		switch {
		case !known:
			missing = append(missing, name)
		case !listed:
			entries = append(entries, ToolEntry{Name: name, Settings: Settings{fields: fields}, Origin: preset.Origin, Pos: preset.Pos})
		}
	}
	if len(missing) > 0 {
		d.warnOnce("tool "+preset.Name, preset.Pos, "", preset.Name+" also stands for "+strings.Join(missing, ", ")+": "+format.NotYet)
	}
	return entries
}
