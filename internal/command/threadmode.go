package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/config"
)

// ThreadMode is !thread_mode: a room's own choice of where answers go, over the
// configuration. Residents.Modes must be set.
func ThreadMode(r Residents) Command {
	return Command{
		Name: "thread_mode", Usage: "[room|thread|reset|show]", Who: RoomAdmins, Brief: "Where answers go in this room.",
		Help: "`!thread_mode room` has every agent answer plainly in this room; the whole room is then one conversation. " +
			"`!thread_mode thread` has them answer in threads, each a conversation of its own. `!thread_mode reset` goes back to what the configuration says, " +
			"and `!thread_mode` or `!thread_mode show` tells how it is. The choice outlives a restart. What is said in a thread is answered there in either mode.",
		Changes: func(args string) bool { return !slices.Contains([]string{"", "show"}, strings.ToLower(args)) },
		Run: func(ctx context.Context, c Call) (string, error) {
			switch mode := strings.ToLower(c.Args); mode {
			case "", "show":
				return r.show(ctx, c), nil
			case "reset":
				if err := r.Modes.Reset(ctx, c.Room); err != nil {
					return "", err
				}
				return "✅ The configuration decides again. " + r.show(ctx, c), nil
			case string(config.ModeRoom), string(config.ModeThread):
				if err := r.Modes.Set(ctx, c.Room, config.ThreadMode(mode), c.Person); err != nil {
					return "", err
				}
				if config.ThreadMode(mode) == config.ModeRoom {
					return "✅ From now on every agent answers plainly in this room.", nil
				}
				return "✅ From now on every agent answers in threads.", nil
			}
			return fmt.Sprintf("❌ `%s` is no mode. Write `!thread_mode` with `room`, `thread`, `reset` or `show`.", plainWord(c.Args)), nil
		},
	}
}

// show tells how it is and who said so.
func (r Residents) show(ctx context.Context, c Call) string {
	if mode, chosen := r.Modes.Of(c.Room); chosen {
		return fmt.Sprintf("This room chose `%s` for every agent.", mode)
	}
	var lines []string
	for _, a := range r.In(ctx, c.Room, c.Snapshot) {
		lines = append(lines, fmt.Sprintf("- `@%s`: `%s`", a.Name, r.Mode(a, c.Room)))
	}
	if len(lines) == 0 {
		return "No agent is in this room."
	}
	return "By the configuration:\n\n" + strings.Join(lines, "\n")
}
