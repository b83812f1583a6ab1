package config

// teams have no effect yet, but their names and rooms may be referred to.
func (d *decoder) teams(c *Config, root *section) {
	for _, m := range root.members("teams") {
		name := m.entry.key
		if c.Agents[name] != nil {
			d.failAt(m.keyPos, m.value.path, "an agent has this name too; rename one of them")
		}
		c.teams = append(c.teams, name)
		c.manage(m.texts("rooms")...)
		members := m.get("agents")
		if members == nil {
			continue
		}
		if len(members.items) == 0 && !members.refused {
			d.fail(members, "must name at least one agent")
		}
		for _, item := range members.items {
			switch private := c.reachesPrivate(item.text, map[string]bool{}); private {
			case "":
			case item.text:
				d.fail(item, "%s is private, one agent for each requester, and cannot belong to a team", clip(private))
			default:
				d.fail(item, "%s may delegate, directly or through others, to %s, which is private; such an agent cannot belong to a team",
					clip(item.text), clip(private))
			}
		}
	}
}

// reachesPrivate is the first private agent that an agent is or may hand work to; empty when there is none.
func (c *Config) reachesPrivate(agent string, seen map[string]bool) string {
	a := c.Agents[agent]
	if a == nil || seen[agent] {
		return ""
	}
	if a.Private != nil {
		return agent
	}
	seen[agent] = true
	for _, next := range a.DelegateTo {
		if private := c.reachesPrivate(next, seen); private != "" {
			return private
		}
	}
	return ""
}

// cultures have no effect yet. An agent has one at most.
func (d *decoder) cultures(root *section) {
	of := map[string]string{}
	for _, m := range root.members("cultures") {
		members := m.get("agents")
		if members == nil {
			continue
		}
		for _, item := range members.items {
			if other, has := of[item.text]; has {
				d.fail(item, "%s belongs to %s already; an agent has one culture at most", clip(item.text), clip(other))
			}
			of[item.text] = m.entry.key
		}
	}
}
