package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"mindroom/internal/config"
)

func newConfigResolve(u *ui) *cobra.Command {
	var at place
	cmd := &cobra.Command{
		Use:   "resolve [flags]",
		Short: "Print the configuration as one file",
		Long: `Print the configuration as one YAML document: what it includes in place, anchors
and merges followed, keys sorted. Nothing is judged; that is what validate does.

Texts under keys that name a secret are hidden.`,
		Example: `  mindroom config resolve
  diff <(mindroom config resolve -c old/config.yaml) <(mindroom config resolve)`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			path, err := at.find(u)
			if err != nil {
				return err
			}
			text, err := config.Resolve(path)
			if err != nil {
				return u.refused(path, err)
			}
			_, err = u.out.Write(text)
			return err
		},
	}
	at.flags(cmd)
	return documented(cmd, page{notes: map[int]string{exitFailed: "a file cannot be read, or is no YAML"}})
}

// refused tells the faults of a configuration line by line, if err holds any.
func (u *ui) refused(path string, err error) error {
	found, err := findings(err)
	if err != nil {
		return err
	}
	for _, f := range found {
		fmt.Fprintln(u.err, f.line(u.paint(u.errTTY, red, "error")))
	}
	return reported{fmt.Errorf("%s has errors", path)}
}
