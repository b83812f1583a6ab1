package main

import "github.com/spf13/cobra"

func newConfig(u *ui) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "config",
		Short: "Judge a configuration",
		Long:  "Work with the configuration, config.yaml.",
		Example: `  mindroom config validate
  mindroom config validate --config house.yaml --json`,
	})
	cmd.AddCommand(newConfigValidate(u))
	return cmd
}
