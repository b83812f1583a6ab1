package main

import "mindroom/internal/config"

// agentView is one agent with everything that defaults and other tools bring.
type agentView struct {
	Name                string                       `json:"name"`
	DisplayName         string                       `json:"display_name"`
	Role                string                       `json:"role"`
	Model               string                       `json:"model"`
	Rooms               []string                     `json:"rooms"`
	Tools               []toolView                   `json:"tools"`
	Instructions        []string                     `json:"instructions"`
	MinimalInstructions []string                     `json:"minimal_instructions"`
	MemoryBackend       string                       `json:"memory_backend"`
	Workspace           bool                         `json:"workspace"`
	ContextFiles        []string                     `json:"context_files"`
	Skills              []string                     `json:"skills"`
	ThreadMode          config.ThreadMode            `json:"thread_mode"`
	RoomThreadModes     map[string]config.ThreadMode `json:"room_thread_modes"`
	AcceptInvites       bool                         `json:"accept_invites"`
	ShowToolCalls       bool                         `json:"show_tool_calls"`
	HistoryRuns         int                          `json:"num_history_runs"`
	HistoryMessages     int                          `json:"num_history_messages"`
	MaxToolCalls        int                          `json:"max_tool_calls_per_turn"`
	DelegateTo          []string                     `json:"delegate_to"`
	BackgroundJobs      bool                         `json:"background_jobs"`
	WorkerScope         config.Scope                 `json:"worker_scope"`
	WorkerTools         []string                     `json:"worker_tools"` // null: as the backend says
	Private             *privateView                 `json:"private"`
}

type privateView struct {
	Per  config.Scope `json:"per"`
	Root string       `json:"root"`
}

// toolView is a toolkit of an agent. Origin says why it has it: agent, defaults or
// implied by another.
type toolView struct {
	Name     string         `json:"name"`
	Origin   config.Origin  `json:"origin"`
	Settings map[string]any `json:"settings"`
	Include  []string       `json:"include_tools"` // null: all
	Exclude  []string       `json:"exclude_tools"`
	Defer    bool           `json:"defer"`
	Initial  bool           `json:"initial"`
}

func agentOf(c *config.Config, a *config.Agent) agentView {
	v := agentView{
		Name: a.Name, DisplayName: a.DisplayName, Role: a.Role, Model: a.Model, Rooms: list(a.Rooms), Tools: []toolView{},
		Instructions: list(a.Instructions), MinimalInstructions: list(a.MinimalInstructions), MemoryBackend: string(a.MemoryBackend),
		Workspace: a.HasWorkspace(), ContextFiles: list(a.ContextFiles), Skills: []string{}, ThreadMode: a.ThreadMode, RoomThreadModes: a.RoomThreadModes, AcceptInvites: a.AcceptInvites,
		ShowToolCalls: a.ShowToolCalls, HistoryRuns: a.NumHistoryRuns, HistoryMessages: a.NumHistoryMessages,
		MaxToolCalls: a.MaxToolCallsPerTurn, DelegateTo: list(a.DelegateTo), BackgroundJobs: a.BackgroundJobs, WorkerScope: a.WorkerScope,
	}
	for _, s := range a.Skills {
		v.Skills = append(v.Skills, s.Name)
	}
	if a.WorkerTools.Explicit {
		v.WorkerTools = list(a.WorkerTools.Names)
	}
	if a.Private != nil {
		v.Private = &privateView{a.Private.Per, a.Private.Root}
	}
	for _, t := range c.EffectiveTools(a.Name) {
		v.Tools = append(v.Tools, toolView{t.Name, t.Origin, t.Settings.All(), t.Include, list(t.Exclude), t.Defer, t.Initial})
	}
	return v
}
