package main

import (
	"time"

	"mindroom/internal/config"
)

// view is the configuration in force. Its keys are those of config.yaml where
// there are such.
type view struct {
	Files         []string             `json:"files"`
	Environment   environmentView      `json:"environment"`
	Timezone      string               `json:"timezone"`
	Models        map[string]modelView `json:"models"`
	Agents        []agentView          `json:"agents"`
	ManagedRooms  []string             `json:"managed_rooms"`
	Rooms         map[string]roomView  `json:"rooms"`
	RoomModels    map[string]string    `json:"room_models"`
	Router        routerView           `json:"router"`
	RoomAccess    roomAccessView       `json:"matrix_room_access"`
	Authorization authorizationView    `json:"authorization"`
	Approval      approvalView         `json:"tool_approval"`
	Streaming     streamingView        `json:"streaming"`
	InternalUser  *internalUserView    `json:"mindroom_user"`
	BotAccounts   []string             `json:"bot_accounts"`
}

func viewOf(c *config.Config, set config.Runtime) view {
	v := view{
		Environment: environmentOf(set), Timezone: c.Location.String(), Models: map[string]modelView{}, Agents: []agentView{},
		ManagedRooms: list(c.ManagedRooms()), Rooms: map[string]roomView{}, RoomModels: c.RoomModels,
		Router: routerView{c.Router.Model, c.Router.AcceptInvites}, RoomAccess: roomAccessOf(c.RoomAccess),
		Authorization: authorizationOf(c.Authorization), Approval: approvalOf(c.Approval), Streaming: streamingOf(c.Defaults),
		BotAccounts: list(c.BotAccounts),
	}
	for _, f := range c.Source.Files {
		v.Files = append(v.Files, f.Path)
	}
	for name, m := range c.Models {
		v.Models[name] = modelView{m.Provider, m.ID, m.Host, m.ContextWindow, m.Images, m.ExtraKwargs.Shown()}
	}
	for _, name := range c.AgentNames() {
		v.Agents = append(v.Agents, agentOf(c, c.Agents[name]))
	}
	for key, r := range c.Rooms {
		v.Rooms[key] = roomView{r.DisplayName, r.Description, r.Encrypted}
	}
	if c.InternalUser != nil {
		v.InternalUser = &internalUserView{c.InternalUser.Username, c.InternalUser.DisplayName}
	}
	return v
}

// list makes an absent list an empty one, because every key is always there.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

type modelView struct {
	Provider      string         `json:"provider"`
	ID            string         `json:"id"`
	Host          string         `json:"host"`
	ContextWindow int            `json:"context_window"`
	Images        *bool          `json:"images"`
	ExtraKwargs   map[string]any `json:"extra_kwargs"`
}

type roomView struct {
	DisplayName string `json:"display_name"`
	Description string `json:"description"`
	Encrypted   *bool  `json:"encrypted"`
}

type routerView struct {
	Model         string `json:"model"`
	AcceptInvites bool   `json:"accept_invites"`
}

type internalUserView struct {
	Username    string `json:"username"`
	DisplayName string `json:"display_name"`
}

type streamingView struct {
	Enabled           bool    `json:"enabled"`
	UpdateInterval    float64 `json:"update_interval"`
	MinUpdateInterval float64 `json:"min_update_interval"`
	IntervalRamp      float64 `json:"interval_ramp_seconds"`
	MaxIdle           float64 `json:"max_idle"`
	StopButton        bool    `json:"show_stop_button"`
}

func streamingOf(d config.Defaults) streamingView {
	s := d.Streaming
	return streamingView{d.EnableStreaming, s.UpdateInterval.Seconds(), s.MinUpdateInterval.Seconds(), s.IntervalRamp.Seconds(), s.MaxIdle.Seconds(), d.ShowStopButton}
}

// environmentView is what variables say about this installation.
type environmentView struct {
	StoragePath        string   `json:"storage_path"`
	ControlPath        string   `json:"control_state_path"`
	Homeserver         string   `json:"homeserver"`
	ServerName         string   `json:"server_name"`
	VerifyTLS          bool     `json:"verify_tls"`
	Namespace          string   `json:"namespace"`
	Port               int      `json:"port"`
	PublicURL          string   `json:"public_url"`
	LogLevel           string   `json:"log_level"`
	WorkerBackend      string   `json:"worker_backend"`
	ExecutionMode      string   `json:"execution_mode"`
	ScriptRetention    string   `json:"script_retention"`
	ScriptGatewayURL   string   `json:"script_gateway_url"`
	AgentCLIPrimaryURL string   `json:"agent_cli_primary_url"`
	Secrets            []string `json:"secrets_set"` // names only
}

func environmentOf(r config.Runtime) environmentView {
	v := environmentView{
		StoragePath: r.StoragePath, ControlPath: r.ControlPath, Homeserver: r.Matrix.Homeserver, ServerName: r.Matrix.ServerName,
		VerifyTLS: r.Matrix.VerifyTLS, Namespace: r.Namespace, Port: r.Port, PublicURL: r.PublicURL, LogLevel: r.LogLevel,
		WorkerBackend: string(r.Workers.Backend), ExecutionMode: string(r.Workers.Mode),
		ScriptRetention: r.Scripts.Retention.Round(time.Second).String(), ScriptGatewayURL: r.Scripts.GatewayURL,
		AgentCLIPrimaryURL: r.AgentCLIURL, Secrets: []string{},
	}
	for _, s := range []struct {
		name string
		set  bool
	}{
		{"MINDROOM_API_KEY", r.APIKey.Given && !r.APIKey.Key.IsZero()},
		{"MATRIX_REGISTRATION_TOKEN", !r.Matrix.RegistrationToken.IsZero()},
		{"MATRIX_REGISTRATION_SHARED_SECRET", !r.Matrix.RegistrationSharedSecret.IsZero()},
		{"MINDROOM_SANDBOX_PROXY_TOKEN", !r.Workers.ProxyToken.IsZero()},
	} {
		if s.set {
			v.Secrets = append(v.Secrets, s.name)
		}
	}
	return v
}
