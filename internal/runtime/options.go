package runtime

import (
	"log/slog"
	"os"
)

// Options are what a command gives the runtime. Only ConfigPath is required.
type Options struct {
	ConfigPath string
	// StoragePath overrides MINDROOM_STORAGE_PATH; empty leaves it.
	StoragePath string
	// APIHost and APIPort are where the API listens; an empty host is every
	// address, port 0 the configured one, a negative port any free one.
	APIHost string
	APIPort int
	// NoAPI opens no listener at all: no health, no scripts and no turn CLI (M29).
	NoAPI bool
	// Log hears everything; nil is slog.Default().
	Log *slog.Logger
	// Version is told on request.
	Version string
	// Lookup is the process's environment; nil is os.LookupEnv.
	Lookup func(string) (string, bool)
	// Signals ends the runtime at the first one and the process at the second;
	// nil leaves only the context.
	Signals <-chan os.Signal
	// Reload has the configuration's files looked at once for each signal; nil
	// leaves it to the file system.
	Reload <-chan os.Signal
	// Ready is called once, when agents answer; nil tells nobody.
	Ready func(Info)
}

// Info is what a person wants to know once everything runs.
type Info struct {
	// API is the origin of the API as this machine reaches it; empty without one.
	API string
	// Homeserver is the address of the homeserver.
	Homeserver string
	// Agents are the configured agents with their Matrix ids.
	Agents map[string]string
	// Rooms are the room ids of managed rooms by key.
	Rooms map[string]string
	// Models says in words which provider and model each configured model is.
	Models map[string]string
}
