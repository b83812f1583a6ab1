package main

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/model"
	"mindroom/internal/runtime"
)

// unready is a configured model that cannot answer, and what to do about it.
type unready struct {
	Model    string `json:"model"`
	Provider string `json:"provider"`
	// MissingKey says that the provider's key is what is missing.
	MissingKey bool   `json:"missing_key"`
	Problem    string `json:"problem"`
}

// unreadyModels builds every model and lists those that would refuse. Each
// provider itself knows when it lacks a key, and says so before anything else;
// so it is asked with a context that ended already and reaches no network.
func unreadyModels(c *config.Config, env config.Env) []unready {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	known, list := runtime.Providers(), []unready{}
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		m := c.Models[name]
		p, err := known.New(m.Provider, model.Settings{
			ID: m.ID, Host: m.Host, ExtraKwargs: m.ExtraKwargs, Getenv: env.Get, Dir: filepath.Dir(c.Source.Path),
		})
		if err != nil {
			list = append(list, unready{Model: name, Provider: m.Provider, Problem: err.Error()})
			continue
		}
		_, err = p.Stream(ended, model.Request{}, nil)
		var refused *model.Error
		if errors.As(err, &refused) && refused.Kind == model.KindAuth {
			list = append(list, unready{Model: name, Provider: m.Provider, MissingKey: true, Problem: "the key of " + m.Provider + " is missing: " + forOperator(refused.Remedy)})
		}
	}
	return list
}

// forOperator turns the sentence for a person in a room around: whoever reads
// this is the operator.
func forOperator(remedy string) string {
	return strings.TrimSuffix(strings.TrimPrefix(remedy, "Ask the operator to "), ".")
}
