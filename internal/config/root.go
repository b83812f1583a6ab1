package config

import (
	"strings"
	"time"
	_ "time/tzdata" // a container image often has no zone files, and timezone must mean the same there
)

// unheededRoots are root keys of the format that this version accepts and does nothing with.
var unheededRoots = []string{
	"room_thread_summary_models", "matrix_space", "matrix_sync", "prompts", "event_journal", "debug", "plugins", "mcp_servers",
	"knowledge_bases", "cultures", "voice", "calls", "external_trigger_policy",
}

// config reads the whole tree. It returns a Config even when there are errors; Load then drops it.
func (d *decoder) config(root *node) *Config {
	s := d.section(root, "")
	c := &Config{}
	memory := d.memory(s)
	c.Models = d.models(s.get("models"))
	c.Defaults = d.defaults(s.get("defaults"))
	d.agents(c, s.get("agents"), memory)
	c.Rooms = d.rooms(c, s.get("rooms"))
	d.teams(c, s)
	c.RoomModels = d.roomModels(s.get("room_models"))
	c.Router = d.router(s)
	c.RoomAccess = d.roomAccess(s.get("matrix_room_access"))
	c.Authorization = d.authorization(s.get("authorization"))
	c.Approval = d.approval(s.get("tool_approval"))
	c.InternalUser = d.internalUser(s.get("mindroom_user"))
	c.BotAccounts = s.names("bot_accounts", d.userID)
	c.Location = d.timezone(s.get("timezone"))
	s.unheeded(unheededRoots...)
	s.done()
	d.resolve(c)
	for _, name := range c.agentOrder {
		c.Agents[name].effective = effectiveTools(c.Agents[name], c.Defaults.Tools, d.catalog)
	}
	d.warnUnreachable(c, s.get("authorization"))
	d.countUnheeded()
	return c
}

func (d *decoder) timezone(n *node) *time.Location {
	if n == nil {
		return time.UTC
	}
	name := d.text(n)
	if name == "" || strings.EqualFold(name, "local") {
		if n.kind == kindScalar && n.tag == "!!str" {
			d.fail(n, "must be a time zone such as Europe/Amsterdam or UTC")
		}
		return time.UTC
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		d.fail(n, "unknown time zone %q; write one such as Europe/Amsterdam or UTC", clip(name))
		return time.UTC
	}
	return location
}
