package config

import "slices"

// warnForgetful tells an author whose agent has the memory toolkit and nowhere to keep anything: it then has none of its functions.
func (d *decoder) warnForgetful(c *Config) {
	if _, known := d.catalog.Fields("memory"); !known {
		return // the unknown toolkit is told already
	}
	for _, name := range c.agentOrder {
		a := c.Agents[name]
		if a.MemoryBackend == MemoryNone && slices.ContainsFunc(a.effective, func(t ToolEntry) bool { return t.Name == "memory" }) {
			d.warn(a.Pos, "agents."+name, "the memory toolkit offers nothing while the agent keeps no memory: write memory_backend: file")
		}
	}
}
