package config

import (
	"time"

	"mindroom/internal/secret"
)

// Workers says where tools and scripts run.
type Workers struct {
	Backend    WorkerBackend // MINDROOM_WORKER_BACKEND
	Mode       ExecutionMode // MINDROOM_SANDBOX_EXECUTION_MODE
	ProxyURL   string        // MINDROOM_SANDBOX_PROXY_URL; empty: none
	ProxyToken secret.Value  // MINDROOM_SANDBOX_PROXY_TOKEN
}

// WorkerBackend is the kind of worker.
type WorkerBackend string

// The backends. Unset is BackendNone.
const (
	BackendNone         WorkerBackend = ""
	BackendStaticRunner WorkerBackend = "static_runner"
	BackendDocker       WorkerBackend = "docker"
	BackendKubernetes   WorkerBackend = "kubernetes"
)

// ExecutionMode says what goes to a worker.
type ExecutionMode string

// The modes. off, local and disabled are one mode; sandbox_selective and sandbox_all are other names of selective and all.
const (
	ModeUnset     ExecutionMode = ""          // worker_tools and the backend decide
	ModeSelective ExecutionMode = "selective" // what worker_tools names
	ModeAll       ExecutionMode = "all"       // whatever may go
	ModeOff       ExecutionMode = "off"       // nothing, whatever worker_tools says; allows unsafe local scripts (S56)
)

func (v *variables) workers() Workers {
	w := Workers{
		Backend:    WorkerBackend(v.choice("MINDROOM_WORKER_BACKEND", "", "static_runner", "docker", "kubernetes")),
		ProxyURL:   v.origin("MINDROOM_SANDBOX_PROXY_URL"),
		ProxyToken: v.secret("MINDROOM_SANDBOX_PROXY_TOKEN"),
	}
	mode := v.choice("MINDROOM_SANDBOX_EXECUTION_MODE", "",
		"selective", "all", "off", "local", "disabled", "sandbox_selective", "sandbox_all")
	switch mode {
	case "sandbox_selective":
		w.Mode = ModeSelective
	case "sandbox_all":
		w.Mode = ModeAll
	case "local", "disabled":
		w.Mode = ModeOff
	default:
		w.Mode = ExecutionMode(mode)
	}
	return w
}

// Scripts is what background scripts need from the installation.
type Scripts struct {
	Retention       time.Duration // MINDROOM_SCRIPT_RETENTION_SECONDS; default 30 days; always positive (S78)
	GatewayURL      string        // MINDROOM_SCRIPT_GATEWAY_URL; complete base, without a slash at its end; empty: none (S53, S54)
	GatewayIsolated bool          // MINDROOM_SCRIPT_GATEWAY_ISOLATED; the operator's word that workers reach nothing else there (S50)
	GatewayPort     int           // MINDROOM_SCRIPT_GATEWAY_PORT; of a gateway-only listener; 0: none
}

func (v *variables) scripts() Scripts {
	return Scripts{
		Retention:       v.seconds("MINDROOM_SCRIPT_RETENTION_SECONDS", 30*day, false),
		GatewayURL:      v.baseURL("MINDROOM_SCRIPT_GATEWAY_URL"),
		GatewayIsolated: v.boolean("MINDROOM_SCRIPT_GATEWAY_ISOLATED", false),
		GatewayPort:     v.port("MINDROOM_SCRIPT_GATEWAY_PORT", 0),
	}
}
