package main

import (
	"github.com/spf13/cobra"

	"mindroom/internal/config"
	"mindroom/internal/runtime"
)

func newConfigSchema(u *ui) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the configuration, for editors",
		Long: `Print the JSON Schema (draft 7) of config.yaml: every key with what may stand under
it, its default and a sentence about it, and the settings of every toolkit.

An editor that understands YAML schemas completes and checks with it. With the YAML
language server, write the schema beside the configuration and name it in its first line:
  # yaml-language-server: $schema=config.schema.json`,
		Example: `  mindroom config schema > config.schema.json
  mindroom config schema | jq '.properties | keys'`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			catalog, err := runtime.Catalog()
			if err != nil {
				return err
			}
			return u.json(config.Schema(catalog))
		},
	}
	return documented(cmd, page{})
}
