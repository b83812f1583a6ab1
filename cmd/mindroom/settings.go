package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mindroom/internal/config"
)

// place is where a command finds its installation.
type place struct{ config, storage string }

// flags adds the flags that name the place.
func (p *place) flags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&p.config, "config", "c", "", "configuration `file` (default: MINDROOM_CONFIG_PATH, ./config.yaml, ~/.mindroom/config.yaml)")
	cmd.Flags().StringVarP(&p.storage, "storage-path", "s", "", "`folder` of the data (default: MINDROOM_STORAGE_PATH, mindroom_data beside the configuration)")
}

// errNoConfig says that no configuration was named and none was found.
var errNoConfig = errors.New("no configuration was found")

// find returns the configuration file: the flag, MINDROOM_CONFIG_PATH,
// ./config.yaml, ~/.mindroom/config.yaml, in this order. A file that was named
// must exist; the two usual places are tried.
func (p *place) find(u *ui) (string, error) {
	named, _ := u.lookup("MINDROOM_CONFIG_PATH")
	if p.config != "" {
		named = p.config
	}
	if named != "" {
		if _, err := os.Stat(named); err != nil {
			return "", fmt.Errorf("the configuration cannot be read: %w: check the path", err)
		}
		return named, nil
	}
	usual := usualPlaces(u)
	for _, path := range usual {
		switch _, err := os.Stat(path); {
		case err == nil:
			return path, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("the configuration cannot be read: %w: check its permissions", err)
		}
	}
	return "", fmt.Errorf("%w at %s: name one with --config or MINDROOM_CONFIG_PATH, or make one with 'mindroom config init'", errNoConfig, strings.Join(usual, " or "))
}

// findOrCopy is find for whoever starts: a configuration that is missing where it
// was named is first copied from the file that MINDROOM_CONFIG_TEMPLATE names.
func (p *place) findOrCopy(u *ui) (string, error) {
	template, _ := u.lookup("MINDROOM_CONFIG_TEMPLATE")
	target, _ := u.lookup("MINDROOM_CONFIG_PATH")
	if p.config != "" {
		target = p.config
	}
	if template == "" || target == "" || absent(target) != nil {
		return p.find(u)
	}
	text, err := os.ReadFile(template)
	if err != nil {
		return "", fmt.Errorf("the configuration cannot be copied: %w: check MINDROOM_CONFIG_TEMPLATE", err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return "", fmt.Errorf("the configuration cannot be copied: %w: check its path", err)
	}
	return target, replace(target, text, 0o644)
}

// usualPlaces are where a configuration lies that nobody named.
func usualPlaces(u *ui) []string {
	usual := []string{"config.yaml"}
	if home, ok := u.lookup("HOME"); ok && home != "" {
		usual = append(usual, filepath.Join(home, ".mindroom", "config.yaml"))
	}
	return usual
}

// overlay is the environment with the command's own arguments over it.
func (p *place) overlay(u *ui) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name == "MINDROOM_STORAGE_PATH" && p.storage != "" {
			// A path that a person typed starts where they are, not at the configuration.
			if abs, err := filepath.Abs(p.storage); err == nil {
				return abs, true
			}
		}
		return u.lookup(name)
	}
}

// load reads the environment of the configuration file at path, and what it
// says about this installation.
func (p *place) load(u *ui, path string) (config.Env, config.Runtime, error) {
	env, err := config.ReadEnv(filepath.Dir(path), p.overlay(u))
	if err != nil {
		return env, config.Runtime{}, err
	}
	set, err := config.LoadRuntime(env, path)
	return env, set, err
}
