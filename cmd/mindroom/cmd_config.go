package main

import "github.com/spf13/cobra"

func newConfig(u *ui) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "config",
		Short: "Make, judge and show a configuration",
		Long:  "Work with the configuration, config.yaml, and the .env file beside it.",
		Example: `  mindroom config init --owner @you:example.org
  mindroom config validate
  mindroom config show --json | jq '.agents[].tools[].name'`,
	})
	cmd.AddCommand(newConfigInit(u), newConfigValidate(u), newConfigShow(u), newConfigResolve(u), newConfigSchema(u), newConfigPath(u))
	return cmd
}
