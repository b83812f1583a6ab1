package config

import (
	"slices"
	"time"
)

// Config is one valid configuration. It and everything it holds is shared and must not be changed; change the file and reload.
// Values another section supplies (defaults) are already in place.
type Config struct {
	Source        Source
	Models        map[string]Model
	Agents        map[string]*Agent
	Defaults      Defaults
	Rooms         map[string]Room   // described rooms; agents may name others
	RoomModels    map[string]string // room key, id or alias → model
	Router        Router
	RoomAccess    RoomAccess
	Authorization Authorization
	Approval      Approval
	ToolHooks     []ToolHook // in the order in which they are asked
	MCPServers    map[string]MCPServer
	InternalUser  *InternalUser // nil: none
	BotAccounts   []string      // Matrix ids that are not people
	Location      *time.Location
	agentOrder    []string
	managedRooms  []string
	teams         []string
}

// AgentNames lists the agents in the order of the file. The caller owns the slice.
func (c *Config) AgentNames() []string { return slices.Clone(c.agentOrder) }

// ManagedRooms lists the room keys that MindRoom creates and keeps: those described under rooms, then those an agent or a
// team names. The caller owns the slice.
func (c *Config) ManagedRooms() []string { return slices.Clone(c.managedRooms) }

// Entities lists every name with a Matrix account of its own: the router, then agents in the order of the file.
// Teams have none yet. The caller owns the slice.
func (c *Config) Entities() []string { return append([]string{RouterName}, c.agentOrder...) }
