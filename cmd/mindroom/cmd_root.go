package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRoot(u *ui) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "mindroom",
		Short: "Agents that live in Matrix rooms",
		Long: `mindroom runs agents that live in Matrix rooms. They answer with a language
model and tools, and start background Python scripts which call their tools.`,
		Example: `  mindroom config validate        judge ./config.yaml
  mindroom run                    start the agents of ./config.yaml
  mindroom scripts ls             list the scripts that agents started
  mindroom chat --help            talk to agents from this terminal`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	})
	root.SetOut(u.out)
	root.SetErr(u.err)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { writeHelp(u.out, cmd) })
	help := newHelp(u)
	root.SetHelpCommand(help)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newRun(u), newConfig(u), newScripts(u), newChat(u), newDoctor(u), newExplain(u), newApprovals(u), newAudit(u), newBackup(u), newRestore(u), help, newVersion(u))
	return root
}

// group makes a command that only holds others: alone it shows its help.
func group(cmd *cobra.Command) *cobra.Command {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		err := fmt.Errorf("unknown command %q of %s", args[0], cmd.CommandPath())
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			err = fmt.Errorf("%w, did you mean %q", err, near[0])
		}
		return usageError{err}
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return documented(cmd, page{})
}

// exactly takes as many arguments as it has names, and names the missing one.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return usagef("%s wants %s", cmd.CommandPath(), names[len(args)])
		case len(args) > len(names):
			return usagef("%s does not know what to do with %q", cmd.CommandPath(), args[len(names)])
		}
		return nil
	}
}
