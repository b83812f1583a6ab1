package config

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

var unheededAgentKeys = []string{
	"skills", "context_files", "memory_search", "markdown", "learning", "learning_mode", "compress_tool_results",
	"max_tool_calls_from_history", "compaction", "knowledge_bases", "allow_self_config", "background_jobs",
}

// removedAgentKeys were keys once; the text says what to write instead.
var removedAgentKeys = []struct{ key, instead string }{
	{"knowledge_base", "write knowledge_bases, a list"},
	{"memory_dir", "write memory_backend: file"},
	{"memory_file_path", "write memory_backend: file"},
	{"sandbox_tools", "write worker_tools"},
	{"allowed_toolkits", "list the toolkits under tools"},
	{"initial_toolkits", "list the toolkits under tools, with defer: true and initial: true"},
}

func (d *decoder) agents(c *Config, n *node, memory MemoryBackend) {
	c.Agents = map[string]*Agent{}
	for _, e := range d.entries(n) {
		d.entity(e)
		a := d.agent(e, c.Defaults, memory)
		c.Agents[e.key] = a
		c.agentOrder = append(c.agentOrder, e.key)
	}
}

func (d *decoder) agent(e entry, def Defaults, memory MemoryBackend) *Agent {
	s := d.section(e.value, "agents.*")
	a := &Agent{
		Name: e.key, Pos: e.keyPos,
		Role:                s.text("role", ""),
		Rooms:               s.names("rooms", func(n *node) { d.roomForm(n.pos, n.path, n.text) }),
		Tools:               d.toolEntries(s.get("tools"), OriginAgent),
		IncludeDefaultTools: s.boolean("include_default_tools", true),
		Instructions:        s.texts("instructions"),
		MinimalInstructions: s.texts("minimal_instructions"),
		MemoryBackend:       d.memoryBackend(s.get("memory_backend"), memory),
		ThreadMode:          ThreadMode(s.choice("thread_mode", string(ModeThread), string(ModeThread), string(ModeRoom))),
		RoomThreadModes:     d.roomThreadModes(s.get("room_thread_modes")),
		AcceptInvites:       s.boolean("accept_invites", true),
		DelegateTo:          s.names("delegate_to", func(n *node) { d.refer(refAgent, n.pos, n.path, n.text) }),
		Private:             d.private(s.get("private"), e.key),
	}
	if v := s.require("display_name"); v != nil {
		if a.DisplayName = d.text(v); a.DisplayName == "" && v.tag == "!!str" {
			d.fail(v, "must not be empty")
		}
	}
	a.Model = d.modelName(s)
	if _, can := d.catalog.Fields("delegate"); !can && len(a.DelegateTo) > 0 {
		v := s.get("delegate_to")
		d.warn(v.pos, v.path, "not supported yet: has no effect")
	}
	d.inherit(a, s, def)
	for _, r := range removedAgentKeys {
		s.removed(r.key, r.instead)
	}
	s.unheeded(unheededAgentKeys...)
	s.done()
	return a
}

// inherit fills in what the agent leaves to defaults.
func (d *decoder) inherit(a *Agent, s *section, def Defaults) {
	a.ShowToolCalls = def.ShowToolCalls
	if v := s.optionalBool("show_tool_calls"); v != nil {
		a.ShowToolCalls = *v
	}
	a.WorkerTools = s.workerTools("worker_tools")
	if !a.WorkerTools.Explicit {
		a.WorkerTools = def.WorkerTools
	}
	own := s.get("worker_scope")
	a.WorkerScope = s.scope("worker_scope")
	switch {
	case a.Private != nil && own != nil:
		d.fail(own, "excludes private, whose key per says the same; remove worker_scope")
	case a.Private != nil:
		a.WorkerScope = a.Private.Per
	case own == nil:
		a.WorkerScope = def.WorkerScope
	}
	var given bool
	if a.NumHistoryRuns, a.NumHistoryMessages, given = s.history(); !given {
		a.NumHistoryRuns, a.NumHistoryMessages = def.NumHistoryRuns, def.NumHistoryMessages
	}
	a.MaxToolCallsPerTurn = def.MaxToolCallsPerTurn
	if limit := s.optionalInt("max_tool_calls_per_turn", 1); limit != nil {
		a.MaxToolCallsPerTurn = *limit
	}
}

// modelName reads the key model, default when absent, and has it checked.
func (d *decoder) modelName(s *section) string {
	if v := s.get("model"); v != nil {
		name := d.text(v)
		if v.tag == "!!str" {
			d.refer(refModel, v.pos, v.path, name)
		}
		return name
	}
	if !s.broken {
		d.refer(refModel, s.n.pos, childPath(s.n.path, "model"), "default")
	}
	return "default"
}
