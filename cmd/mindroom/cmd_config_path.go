package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// candidate is a place where a configuration may lie.
type candidate struct {
	Path   string `json:"path"`
	Origin string `json:"origin"`
	Exists bool   `json:"exists"`
}

// found is what path says. Used is empty when no candidate exists.
type found struct {
	Used     string      `json:"used"`
	Searched []candidate `json:"searched"`
}

func newConfigPath(u *ui) *cobra.Command {
	var at place
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "path [flags]",
		Short: "Print which configuration is used",
		Long: `Print the path of the configuration that other commands use. A file that is named,
by --config or MINDROOM_CONFIG_PATH, counts alone; otherwise the first that exists of
./config.yaml and ~/.mindroom/config.yaml does.`,
		Example: `  mindroom config path
  "$EDITOR" "$(mindroom config path)"
  mindroom config path --json | jq '.searched'`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			searched, used := at.candidates(u), ""
			for _, c := range searched {
				if c.Exists && used == "" {
					used = c.Path
				}
			}
			if asJSON {
				if err := u.json(found{used, searched}); err != nil {
					return err
				}
			} else if used != "" {
				fmt.Fprintln(u.out, used)
			}
			if _, err := at.find(u); err != nil {
				return err
			}
			return nil
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object on stdout, with every place that was searched")
	return documented(cmd, page{notes: map[int]string{exitFailed: "there is none"}})
}

// candidates are the places in the order in which they are tried.
func (p *place) candidates(u *ui) []candidate {
	var all []candidate
	add := func(path, origin string) {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		_, err := os.Stat(path)
		all = append(all, candidate{path, origin, err == nil})
	}
	named, _ := u.lookup("MINDROOM_CONFIG_PATH")
	switch {
	case p.config != "":
		add(p.config, "--config")
	case named != "":
		add(named, "MINDROOM_CONFIG_PATH")
	default:
		for _, path := range usualPlaces(u) {
			add(path, "usual place")
		}
	}
	return all
}
