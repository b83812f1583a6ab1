package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestEveryCommandIsDocumented holds what scripts and people rely on in the help.
func TestEveryCommandIsDocumented(t *testing.T) {
	t.Parallel()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		var out bytes.Buffer
		writeHelp(&out, cmd)
		for _, section := range []string{"USAGE\n", "\nEXAMPLES\n", "\nEXIT STATUS\n", "\n  0    ", "\n  2    "} {
			if !strings.Contains(out.String(), section) {
				t.Errorf("the help of %s lacks %q:\n%s", cmd.CommandPath(), section, out.String())
			}
		}
		for line := range strings.Lines(out.String()) {
			if len(strings.TrimRight(line, "\n")) > 130 {
				t.Errorf("the help of %s has a line too long to read: %s", cmd.CommandPath(), line)
			}
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short text %q", cmd.CommandPath(), cmd.Short)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&ui{lookup: func(string) (string, bool) { return "", false }}))
}
