package main

import (
	"github.com/spf13/cobra"
)

func newHelp(u *ui) *cobra.Command {
	return documented(&cobra.Command{
		Use:   "help [command]",
		Short: "Show the help of a command",
		Long:  "Show the help of a command, as --help after it does.",
		Example: `  mindroom help run
  mindroom help scripts logs`,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			switch {
			case err != nil:
				return usageError{err}
			case len(rest) > 0:
				return usagef("unknown command %q of %s", rest[0], about.CommandPath())
			}
			writeHelp(u.out, about)
			return nil
		},
	}, page{})
}
