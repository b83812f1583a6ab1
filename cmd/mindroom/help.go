package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// page is the part of a command's help that cobra has no place for.
type page struct {
	// statuses are the exit statuses besides 0, 1 and 2 that it may end with.
	statuses []int
	// notes replace the general sentence of a status.
	notes map[int]string
}

// pageKey is where a command keeps its exit section.
const pageKey = "exit status"

// documented adds the EXIT STATUS section to a command.
func documented(cmd *cobra.Command, p page) *cobra.Command {
	statuses := append([]int{exitDone, exitFailed, exitUsage}, p.statuses...)
	slices.Sort(statuses)
	var b strings.Builder
	for _, s := range statuses {
		line := exitLines[s]
		if note, ok := p.notes[s]; ok {
			line = note
		}
		fmt.Fprintf(&b, "  %-4s %s\n", strconv.Itoa(s), line)
	}
	cmd.Annotations = map[string]string{pageKey: b.String()}
	return cmd
}

// writeHelp prints a command's help. It is written out here because cobra's own
// goes through a template engine, which costs a megabyte and the linker's view.
func writeHelp(w io.Writer, cmd *cobra.Command) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintf(w, "%s\n\nUSAGE\n", strings.TrimSpace(text))
	if cmd.Runnable() && !cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "  %s <command>\n\nCOMMANDS\n", cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
	}
	if flags := cmd.LocalFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFLAGS\n%s", flags.FlagUsages())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nEXAMPLES\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	if exits, ok := cmd.Annotations[pageKey]; ok {
		fmt.Fprintf(w, "\nEXIT STATUS\n%s", exits)
	}
}
