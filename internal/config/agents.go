package config

import (
	"strings"

	"mindroom/internal/config/format"
)

// Agent is one configured agent, with what it inherits from defaults in place.
type Agent struct {
	Name                string
	DisplayName         string
	Role                string
	Model               string // a key of Config.Models
	Rooms               []string
	Tools               []ToolEntry // its own list; what it really has is Config.EffectiveTools
	IncludeDefaultTools bool
	Instructions        []string
	MinimalInstructions []string // appended to the prompt of a minimal request
	Skills              []Skill  // of the operator, in the order of the file; each once
	ContextFiles        []string // of its workspace, relative and clean: its own, then those of private; each once
	MemoryBackend       MemoryBackend
	ThreadMode          ThreadMode
	RoomThreadModes     map[string]ThreadMode // room key, id or alias → mode there
	AcceptInvites       bool
	ShowToolCalls       bool
	WorkerScope         Scope
	WorkerTools         WorkerTools
	Private             *Private // nil: one agent for everybody
	NumHistoryRuns      int      // 0: everything that fits
	NumHistoryMessages  int      // 0: everything that fits; never set together with NumHistoryRuns
	DelegateTo          []string // agents; its own name allows self-delegation
	MaxToolCallsPerTurn int      // direct calls of one turn, and as many again through mindroom-agent; 0: no limit
	BackgroundJobs      bool     // subagents may go on after the response that started them
	Pos                 Pos      // of its name
	effective           []ToolEntry
}

// HasWorkspace tells whether the agent has a folder of its own: a private agent always, another one with file memory.
func (a *Agent) HasWorkspace() bool { return a.Private != nil || a.MemoryBackend == MemoryFile }

// ThreadModeIn is the mode for one room, given by any of its names (key, id, alias).
func (a *Agent) ThreadModeIn(names ...string) ThreadMode {
	for _, name := range names {
		if mode, ok := a.RoomThreadModes[name]; ok {
			return mode
		}
	}
	return a.ThreadMode
}

// ThreadMode says where an agent answers.
type ThreadMode string

// The thread modes.
const (
	ModeThread ThreadMode = "thread" // in a thread of its own
	ModeRoom   ThreadMode = "room"   // in the room's main timeline
)

func (d *decoder) agents(c *Config, root *section, memory MemoryBackend) {
	c.Agents = map[string]*Agent{}
	accounts := map[string]string{}
	for _, m := range root.members("agents") {
		a := d.agent(m, c.Defaults, memory)
		if other, taken := accounts[strings.ToLower(a.Name)]; taken {
			d.failAt(m.keyPos, "agents."+a.Name, "differs from agent %s only in capitals, which a Matrix account name does not have; rename one", clip(other))
		}
		accounts[strings.ToLower(a.Name)] = a.Name
		c.Agents[a.Name] = a
		c.agentOrder = append(c.agentOrder, a.Name)
	}
}

func (d *decoder) agent(s member, def Defaults, memory MemoryBackend) *Agent {
	a := &Agent{
		Name: s.entry.key, Pos: s.keyPos,
		DisplayName:         s.text("display_name"),
		Role:                s.text("role"),
		Model:               d.modelName(s.section),
		Rooms:               s.texts("rooms"),
		Tools:               d.toolEntries(s.get("tools"), OriginAgent),
		IncludeDefaultTools: s.boolean("include_default_tools"),
		Instructions:        s.texts("instructions"),
		MinimalInstructions: s.texts("minimal_instructions"),
		Skills:              skills(s.section),
		MemoryBackend:       d.memoryBackend(s.get("memory_backend"), memory),
		ThreadMode:          ThreadMode(s.text("thread_mode")),
		RoomThreadModes:     map[string]ThreadMode{},
		AcceptInvites:       s.boolean("accept_invites"),
		DelegateTo:          s.texts("delegate_to"),
		Private:             d.private(s),
	}
	a.ContextFiles = contextFiles(s)
	for _, e := range entries(s.get("room_thread_modes")) {
		a.RoomThreadModes[e.key] = ThreadMode(e.value.text)
	}
	if _, can := d.catalog.Fields("delegate"); !can && len(a.DelegateTo) > 0 {
		v := s.get("delegate_to")
		d.warn(v.pos, v.path, "%s", format.NotYet)
	}
	a.inherit(s.section, def)
	return a
}

// inherit fills in what the agent leaves to defaults.
func (a *Agent) inherit(s *section, def Defaults) {
	a.ShowToolCalls = def.ShowToolCalls
	if v := s.optionalBool("show_tool_calls"); v != nil {
		a.ShowToolCalls = *v
	}
	a.BackgroundJobs = def.BackgroundJobs
	if v := s.optionalBool("background_jobs"); v != nil {
		a.BackgroundJobs = *v
	}
	a.WorkerTools = s.workerTools()
	if !a.WorkerTools.Explicit {
		a.WorkerTools = def.WorkerTools
	}
	a.WorkerScope = def.WorkerScope
	if a.Private != nil {
		a.WorkerScope = a.Private.Per
	} else if own := s.text("worker_scope"); own != "" {
		a.WorkerScope = Scope(own)
	}
	a.NumHistoryRuns, a.NumHistoryMessages = s.count("num_history_runs"), s.count("num_history_messages")
	if a.NumHistoryRuns == 0 && a.NumHistoryMessages == 0 {
		a.NumHistoryRuns, a.NumHistoryMessages = def.NumHistoryRuns, def.NumHistoryMessages
	}
	if a.MaxToolCallsPerTurn = s.count("max_tool_calls_per_turn"); a.MaxToolCallsPerTurn == 0 {
		a.MaxToolCallsPerTurn = def.MaxToolCallsPerTurn
	}
}

// modelName reads the key model. The default is a reference that nobody wrote, and is checked all the same.
func (d *decoder) modelName(s *section) string {
	if s.silent("model") {
		d.refer(refModel, &node{pos: s.n.pos, path: childPath(s.n.path, "model"), text: s.text("model")})
	}
	return s.text("model")
}
