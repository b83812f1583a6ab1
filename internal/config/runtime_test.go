package config

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRuntimeDefaults(t *testing.T) {
	t.Parallel()
	got, err := LoadRuntime(Env{}, "/etc/mindroom/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := Runtime{
		StoragePath: "/etc/mindroom/mindroom_data",
		ControlPath: "/etc/mindroom/mindroom_data/control_state",
		Port:        8765, LogLevel: "INFO", Tenant: "default",
		Matrix:    Matrix{Homeserver: "http://localhost:8008", ServerName: "localhost", VerifyTLS: true},
		Scripts:   Scripts{Retention: 30 * 24 * time.Hour},
		Retention: Retention{Conversations: 90 * 24 * time.Hour, Audit: 365 * 24 * time.Hour, Files: 30 * 24 * time.Hour},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRuntimeValues(t *testing.T) {
	t.Parallel()
	got, err := LoadRuntime(envOf(map[string]string{
		"MINDROOM_STORAGE_PATH": "data/../store", "MINDROOM_CONTROL_STATE_PATH": "/var/lib/control",
		"MINDROOM_NAMESPACE": "test1234", "MINDROOM_PORT": "9000", "MINDROOM_PUBLIC_URL": "https://mindroom.example.org/",
		"LOG_LEVEL": "debug", "ACCOUNT_ID": "acme", "MINDROOM_API_KEY": "",
		"MATRIX_HOMESERVER": "https://matrix.example.org:8448", "MATRIX_SSL_VERIFY": "No", "MATRIX_SERVER_NAME": "example.org",
		"MINDROOM_WORKER_BACKEND": "Docker", "MINDROOM_SANDBOX_EXECUTION_MODE": "sandbox_all",
		"MINDROOM_SCRIPT_GATEWAY_URL": "https://g.example.org/api/script-gateway/", "MINDROOM_SCRIPT_GATEWAY_ISOLATED": "true",
		"MINDROOM_SCRIPT_GATEWAY_PORT": "8770", "MINDROOM_SCRIPT_RETENTION_SECONDS": "1.5",
		"MINDROOM_CONVERSATION_RETENTION_SECONDS": "3600", "MINDROOM_AUDIT_RETENTION_SECONDS": "7200", "MINDROOM_MEDIA_RETENTION_SECONDS": "600",
		"MINDROOM_AGENT_CLI_PRIMARY_URL": "http://10.0.0.1:8765", "MINDROOM_MATRIX_HOMESERVER_STARTUP_TIMEOUT_SECONDS": "0",
	}), "/etc/mindroom/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := Runtime{
		StoragePath: "/etc/mindroom/store", ControlPath: "/var/lib/control",
		Namespace: "test1234", Port: 9000, PublicURL: "https://mindroom.example.org", LogLevel: "DEBUG", Tenant: "acme",
		APIKey:      APIKey{Given: true},
		Matrix:      Matrix{Homeserver: "https://matrix.example.org:8448", ServerName: "example.org"},
		Workers:     Workers{Backend: BackendDocker, Mode: ModeAll},
		Scripts:     Scripts{1500 * time.Millisecond, "https://g.example.org/api/script-gateway", true, 8770},
		Retention:   Retention{time.Hour, 2 * time.Hour, 10 * time.Minute},
		AgentCLIURL: "http://10.0.0.1:8765",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// S78: the retention is finite and positive, or the start stops. So are the others.
func TestRetention(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"MINDROOM_SCRIPT_RETENTION_SECONDS", "MINDROOM_CONVERSATION_RETENTION_SECONDS", "MINDROOM_AUDIT_RETENTION_SECONDS", "MINDROOM_MEDIA_RETENTION_SECONDS"} {
		for _, bad := range []string{"0", "-1", "-0", "nan", "inf", "+Inf", "1e400", "thirty days", "0x", "1e-9", "1e300"} {
			r, err := LoadRuntime(envOf(map[string]string{name: bad}), "config.yaml")
			var fault *VariableError
			if !errors.As(err, &fault) || fault.Name != name {
				t.Errorf("%s=%s: accepted as %v, %+v (%v)", name, bad, r.Scripts.Retention, r.Retention, err)
			} else if len(bad) > 3 && strings.Contains(err.Error(), bad) {
				t.Errorf("%s=%s: the value is in the message", name, bad)
			}
		}
	}
	for text, want := range map[string]float64{"1": 1, "2592000": 2592000, "0.5": .5, " 60 ": 60, "": 2592000} {
		r, err := LoadRuntime(envOf(map[string]string{"MINDROOM_SCRIPT_RETENTION_SECONDS": text}), "config.yaml")
		if err != nil || math.Abs(r.Scripts.Retention.Seconds()-want) > 1e-9 {
			t.Errorf("%q: %v, %v", text, r.Scripts.Retention, err)
		}
	}
}

func TestRuntimeRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, value, want string }{
		{"MINDROOM_PORT", "0", "must be a port from 1 to 65535"},
		{"MINDROOM_PORT", "http", "must be a port from 1 to 65535"},
		{"MINDROOM_SCRIPT_GATEWAY_PORT", "65536", "must be a port from 1 to 65535"},
		{"MINDROOM_NAMESPACE", "AB", "must be 4 to 32 small letters and digits"},
		{"MINDROOM_WORKER_BACKEND", "podman", "must be static_runner, docker or kubernetes"},
		{"MINDROOM_SANDBOX_EXECUTION_MODE", "some", "must be selective, all, off, local, disabled, sandbox_selective or sandbox_all"},
		{"MATRIX_SSL_VERIFY", "maybe", "must be true or false (also 1, yes, on; 0, no, off)"},
		{"MATRIX_SERVER_NAME", "https://x", "must be a server name such as example.org, without https://"},
		{"MATRIX_HOMESERVER", "localhost:8008", "must be an address that begins with http:// or https:// and a host"},
		{"MATRIX_HOMESERVER", "https://x.org/_matrix", "must be an address such as https://mindroom.example.org, without a path"},
		{"LOG_LEVEL", "loud", "must be DEBUG, INFO, WARNING or ERROR"},
		{"MINDROOM_MATRIX_HOMESERVER_STARTUP_TIMEOUT_SECONDS", "-1", "must be 0 or greater"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "ftp://x/api", "must be an address that begins with http:// or https:// and a host"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "http://", "must be an address that begins with http:// or https:// and a host"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "http://u:hunter2@x.org/api", "must not contain a user name or password"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "http://x.org/api?a=1", "must not contain a query (?...), because paths are appended to it"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "http://x.org/api?", "must not contain a query (?...), because paths are appended to it"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "http://x.org/api#", "must not contain a fragment (#...), because paths are appended to it"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "http://x.org:0/api", "must have a port from 1 to 65535, or none"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "http://x.org:99999/api", "must have a port from 1 to 65535, or none"},
		{"MINDROOM_SCRIPT_GATEWAY_URL", "http://x.org:/api", "must have a port from 1 to 65535, or none"},
	}
	for _, tt := range tests {
		_, err := LoadRuntime(envOf(map[string]string{tt.name: tt.value}), "config.yaml")
		if err == nil || err.Error() != "environment: "+tt.name+" "+tt.want {
			t.Errorf("%s=%s: %v", tt.name, tt.value, err)
		}
	}
}

func TestRuntimeTellsAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	_, err := LoadRuntime(envOf(map[string]string{"MINDROOM_PORT": "x", "LOG_LEVEL": "x", "MINDROOM_API_KEY_FILE": "/nonexistent"}), "config.yaml")
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("%v", err)
	}
}

func TestExecutionModes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ExecutionMode{
		"": ModeUnset, "off": ModeOff, "LOCAL": ModeOff, "disabled": ModeOff, "all": ModeAll, "sandbox_all": ModeAll,
		"selective": ModeSelective, "sandbox_selective": ModeSelective,
	} {
		r, err := LoadRuntime(envOf(map[string]string{"MINDROOM_SANDBOX_EXECUTION_MODE": text}), "config.yaml")
		if diff := cmp.Diff(want, r.Workers.Mode, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
}
