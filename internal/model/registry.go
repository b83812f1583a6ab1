package model

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Settings are what the configuration says about one model (`models.<name>`), with the world it may look at.
type Settings struct {
	// ID is the provider's model id.
	ID string
	// Host is the optional base address (`host:`); empty means the provider's own.
	Host string
	// ExtraKwargs is `extra_kwargs:` as decoded from YAML; nil means none. A key the provider does not know is an
	// error of the constructor.
	ExtraKwargs map[string]any
	// Dir is where relative paths in ExtraKwargs start, the configuration's folder; empty means the working folder.
	Dir string
	// Getenv reads the environment, keys included; nil means an empty environment.
	Getenv func(string) string
	// HTTPClient carries the requests; nil means a plain one. It must have no total timeout.
	HTTPClient *http.Client
}

// Env is the value of an environment variable, empty when unset or when there is no environment.
func (s Settings) Env(name string) string {
	if s.Getenv == nil {
		return ""
	}
	return s.Getenv(name)
}

// Constructor builds a provider from its settings. It opens no connection and does not mind a missing key: that is
// an *Error of KindAuth when somebody first asks. Its own errors are faults of the configuration.
type Constructor func(Settings) (Provider, error)

// Registry knows the providers by the name that `provider:` gives. The composition root fills it; a nil Registry
// knows none.
type Registry map[string]Constructor

// New builds the named provider. The error of an unknown name lists the known ones.
func (r Registry) New(name string, s Settings) (Provider, error) {
	construct, ok := r[name]
	if !ok {
		return nil, fmt.Errorf("unknown model provider %q: choose one of %s", name, strings.Join(r.Names(), ", "))
	}
	p, err := construct(s)
	if err != nil {
		return nil, fmt.Errorf("model provider %q: %w", name, err)
	}
	return p, nil
}

// Names are the known providers, sorted.
func (r Registry) Names() []string {
	names := make([]string, 0, len(r))
	for name := range r {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
