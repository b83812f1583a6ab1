package main

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/agentcli"
)

// agentCLI is what mindroom-agent says of itself with --help.
func agentCLI(context.Context, string) (string, error) {
	var b strings.Builder
	for _, h := range agentcli.Helps() {
		fmt.Fprintf(&b, "## %s\n\n```\n%s\n```\n\n", h.Command, strings.TrimRight(h.Text, "\n"))
	}
	return b.String(), nil
}
