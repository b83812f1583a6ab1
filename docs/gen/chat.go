package main

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/command"
	"mindroom/internal/runtime"
)

// chatCommands describes every command that people type in a room, as !help
// does.
func chatCommands(context.Context, string) (string, error) {
	registry, err := runtime.Commands()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	var rows [][]string
	for _, c := range registry.All() {
		rows = append(rows, []string{code(c.Written()), string(c.Who), c.Brief})
	}
	b.WriteString(table([]string{"command", "for", ""}, rows))
	for _, c := range registry.All() {
		fmt.Fprintf(&b, "\n### !%s\n\n%s\n", c.Name, strings.TrimSpace(c.Help+" "+effect(c)))
	}
	return b.String(), nil
}

// effect says how a command stands to being run twice.
func effect(c command.Command) string {
	if c.Changes == nil {
		return ""
	}
	return "It changes something, so it is run at most once and not from a voice message."
}
