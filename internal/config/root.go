package config

import (
	"time"
	_ "time/tzdata" // a container image often has no zone files, and timezone must mean the same there

	"mindroom/internal/config/format"
)

// config judges the whole tree and reads it. It returns a Config even when there are errors; judge then drops it.
func (d *decoder) config(root *node) *Config {
	d.catalog = offering(d.catalog, root.find("mcp_servers"))
	d.check(root, format.Shape{Kind: format.Fixed, Object: format.Root()})
	s := d.section(root, format.Root())
	c := &Config{Models: d.models(s), Defaults: d.defaults(s.sub("defaults"))}
	d.agents(c, s, d.memory(s))
	d.rooms(c, s)
	d.teams(c, s)
	d.cultures(s)
	c.RoomModels = map[string]string{}
	for _, e := range entries(s.get("room_models")) {
		c.RoomModels[e.key] = e.value.text
	}
	c.Router = d.router(s)
	c.RoomAccess = s.sub("matrix_room_access").roomAccess()
	c.Authorization = d.authorization(s.sub("authorization"))
	c.Approval = d.approval(s.sub("tool_approval"))
	c.ToolHooks = d.toolHooks(s)
	c.MCPServers = d.mcpServers(s)
	c.InternalUser = s.internalUser()
	c.BotAccounts = s.texts("bot_accounts")
	c.Location, _ = time.LoadLocation(s.text("timezone"))
	d.resolve(c)
	for _, name := range c.agentOrder {
		c.Agents[name].effective = effectiveTools(c.Agents[name], c.Defaults.Tools, d.catalog)
	}
	d.warnForgetful(c)
	d.warnUnreachable(c, s.get("authorization"))
	d.countAgain()
	return c
}
