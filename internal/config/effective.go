package config

import "slices"

// EffectiveTools lists the tools an agent has, in the order in which a function's name is looked up: its own entries, then
// defaults.tools (unless include_default_tools is false), then what these imply and the catalog knows. nil for an unknown agent.
// The caller owns the slice.
func (c *Config) EffectiveTools(agent string) []ToolEntry {
	a := c.Agents[agent]
	if a == nil {
		return nil
	}
	return slices.Clone(a.effective)
}

// effectiveTools is worked out once, when the file is loaded, so that a call costs one copy.
func effectiveTools(a *Agent, defaults []ToolEntry, catalog Catalog) []ToolEntry {
	if !a.IncludeDefaultTools {
		defaults = nil
	}
	has := func(list []ToolEntry, name string) int {
		return slices.IndexFunc(list, func(t ToolEntry) bool { return t.Name == name })
	}
	all := make([]ToolEntry, 0, len(a.Tools)+len(defaults))
	for _, t := range a.Tools {
		if i := has(defaults, t.Name); i >= 0 {
			t = overDefault(t, defaults[i])
		}
		all = append(all, t)
	}
	for _, t := range defaults {
		if has(all, t.Name) < 0 {
			all = append(all, t)
		}
	}
	for _, name := range implied(a, all) {
		if fields, known := catalog.Fields(name); known && has(all, name) < 0 {
			all = append(all, ToolEntry{Name: name, Settings: Settings{fields: fields}, Origin: OriginImplied})
		}
	}
	return all
}

// overDefault lays an agent's entry over the entry of the same tool in defaults.tools.
func overDefault(own, weaker ToolEntry) ToolEntry {
	own.Settings = own.Settings.over(weaker.Settings)
	if own.Include == nil {
		own.Include = weaker.Include
	}
	if own.Exclude == nil {
		own.Exclude = weaker.Exclude
	}
	return own
}

// implied names the toolkits that an agent's keys and other toolkits bring with them.
func implied(a *Agent, tools []ToolEntry) []string {
	var names []string
	if slices.ContainsFunc(tools, func(t ToolEntry) bool { return t.Name == "matrix_message" }) {
		names = append(names, "attachments", "matrix_room")
	}
	if len(a.DelegateTo) > 0 {
		names = append(names, "delegate")
	}
	if len(a.Skills) > 0 || authorsSkills(a, tools) {
		names = append(names, OwnToolkit)
	}
	if slices.ContainsFunc(tools, func(t ToolEntry) bool { return t.Defer }) {
		names = append(names, "dynamic_tools")
	}
	return names
}
