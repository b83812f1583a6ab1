package config

import (
	"errors"
	"path/filepath"
	"time"

	"mindroom/internal/secret"
)

// Runtime is what the environment says about this installation, as opposed to what config.yaml says about agents. It is read
// once, at the start; changing it needs a restart.
type Runtime struct {
	StoragePath string // MINDROOM_STORAGE_PATH; default <config dir>/mindroom_data; absolute
	ControlPath string // MINDROOM_CONTROL_STATE_PATH; default <storage>/control_state; absolute; never visible to a worker
	Namespace   string // MINDROOM_NAMESPACE; 4 to 32 small letters and digits, or empty
	Port        int    // MINDROOM_PORT; default 8765; 0 is refused
	PublicURL   string // MINDROOM_PUBLIC_URL; an origin without a path, or empty
	LogLevel    string // LOG_LEVEL; DEBUG, INFO, WARNING or ERROR; default INFO
	Tenant      string // CUSTOMER_ID, else ACCOUNT_ID, else default: part of every worker key
	APIKey      APIKey // MINDROOM_API_KEY
	Matrix      Matrix
	Workers     Workers
	Scripts     Scripts
	Retention   Retention
	AgentCLIURL string // MINDROOM_AGENT_CLI_PRIMARY_URL; an origin workers call, or empty (M32)
}

// APIKey protects the HTTP API. A key that was never set may be generated; one set to nothing keeps open access on purpose (M31).
type APIKey struct {
	Key   secret.Value
	Given bool // the variable is set, perhaps to nothing
}

// Matrix is the homeserver and how accounts are made there.
type Matrix struct {
	Homeserver               string       // MATRIX_HOMESERVER; default http://localhost:8008
	ServerName               string       // MATRIX_SERVER_NAME; default the homeserver's host
	VerifyTLS                bool         // MATRIX_SSL_VERIFY; default true
	RegistrationToken        secret.Value // MATRIX_REGISTRATION_TOKEN
	RegistrationSharedSecret secret.Value // MATRIX_REGISTRATION_SHARED_SECRET
	// StartupTimeout bounds the wait for the homeserver; 0 waits for ever. MINDROOM_MATRIX_HOMESERVER_STARTUP_TIMEOUT_SECONDS.
	StartupTimeout time.Duration
}

// LoadRuntime reads every variable of Runtime. configPath is the configuration file; its folder is where paths start.
// The error joins a *VariableError for each variable that cannot be used, so that one start shows them all.
func LoadRuntime(env Env, configPath string) (Runtime, error) {
	dir, err := filepath.Abs(filepath.Dir(configPath))
	if err != nil {
		return Runtime{}, err
	}
	v := &variables{env: env}
	r := Runtime{
		StoragePath: storagePath(env, dir),
		Namespace:   v.matching("MINDROOM_NAMESPACE", namespaceForm, "must be 4 to 32 small letters and digits"),
		Port:        v.port("MINDROOM_PORT", 8765),
		PublicURL:   v.origin("MINDROOM_PUBLIC_URL"),
		LogLevel:    v.choice("LOG_LEVEL", "INFO", "DEBUG", "INFO", "WARNING", "ERROR"),
		Tenant:      firstSet(env.Get("CUSTOMER_ID"), env.Get("ACCOUNT_ID"), "default"),
		Matrix:      v.matrix(),
		Workers:     v.workers(),
		Scripts:     v.scripts(),
		Retention:   v.retention(),
		AgentCLIURL: v.origin("MINDROOM_AGENT_CLI_PRIMARY_URL"),
	}
	r.ControlPath = absolute(env.Get("MINDROOM_CONTROL_STATE_PATH"), dir, filepath.Join(r.StoragePath, "control_state"))
	r.APIKey.Key, r.APIKey.Given = v.secretGiven("MINDROOM_API_KEY")
	return r, errors.Join(v.errs...)
}

func (v *variables) matrix() Matrix {
	m := Matrix{
		Homeserver:               firstSet(v.origin("MATRIX_HOMESERVER"), "http://localhost:8008"),
		VerifyTLS:                v.boolean("MATRIX_SSL_VERIFY", true),
		RegistrationToken:        v.secret("MATRIX_REGISTRATION_TOKEN"),
		RegistrationSharedSecret: v.secret("MATRIX_REGISTRATION_SHARED_SECRET"),
		StartupTimeout:           v.seconds("MINDROOM_MATRIX_HOMESERVER_STARTUP_TIMEOUT_SECONDS", 0, true),
	}
	m.ServerName = v.matching("MATRIX_SERVER_NAME", serverNameForm, "must be a server name such as example.org, without https://")
	if m.ServerName == "" {
		m.ServerName = hostOf(m.Homeserver)
	}
	return m
}

// storagePath is needed before the rest, for paths in the configuration.
func storagePath(env Env, dir string) string {
	return absolute(env.Get("MINDROOM_STORAGE_PATH"), dir, filepath.Join(dir, "mindroom_data"))
}

func absolute(path, dir, otherwise string) string {
	switch {
	case path == "":
		return otherwise
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func firstSet(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
