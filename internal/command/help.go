package command

import (
	"context"
	"fmt"
	"strings"
)

// Help is !help: the list of the commands that there are, or what one of them
// does.
func Help() Command {
	return Command{
		Name: "help", Usage: "[command]", Who: Anybody, Brief: "This list, or what one command does.",
		Help: "`!help` lists the commands of this MindRoom. `!help stop` tells what `!stop` does.",
		Run: func(_ context.Context, c Call) (string, error) {
			if c.Args == "" {
				return list(c.Registry), nil
			}
			topic := strings.TrimPrefix(strings.Fields(c.Args)[0], "!")
			if command, ok := c.Registry.Find(topic); ok {
				return about(command), nil
			}
			return fmt.Sprintf("There is no command `!%s`.\n\n%s", plainWord(topic), list(c.Registry)), nil
		},
	}
}

func list(r *Registry) string {
	var b strings.Builder
	b.WriteString("**Commands**\n\n")
	for _, c := range r.all {
		fmt.Fprintf(&b, "- `%s` – %s", c.Written(), c.Brief)
		if c.Who != Anybody {
			fmt.Fprintf(&b, " (%s)", c.Who)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n`!help` with the name of a command tells more. Words of a name may be joined by `_`, `-` or nothing.")
	return b.String()
}

func about(c Command) string {
	text := "`" + c.Written() + "`\n\n" + c.Help
	if c.Who != Anybody {
		text += fmt.Sprintf("\n\nFor %s.", c.Who)
	}
	return text
}

// plainWord is a person's word as it may stand in code.
func plainWord(word string) string {
	runes := []rune(strings.ReplaceAll(word, "`", "'"))
	return string(runes[:min(len(runes), 40)])
}
