package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/console"
	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/person"
)

// chatFlags are the flags of chat.
type chatFlags struct {
	homeserver, user, passwordFile, room, thread string
	keys, recoveryFile                           string
	last                                         int
	wait                                         time.Duration
}

func newChat(u *ui) *cobra.Command {
	var f chatFlags
	cmd := &cobra.Command{
		Use:   "chat --homeserver URL --user NAME --room ROOM [flags]",
		Short: "Talk in a room from this terminal",
		Long: `Talk in a room from this terminal: a plain Matrix client. It shows the last
messages, then what comes; an answer grows while it is written. A typed line is
sent; the first one opens a thread, in which agents answer. /help lists what else
can be typed.

In an encrypted room everything is read and written encrypted. The first such chat
makes a device of this account and keeps its keys under --keys, so that the next one
reads the past; what cannot be read is said. Elsewhere the login ends with the chat.

The password comes from --password-file, from MINDROOM_CHAT_PASSWORD, or is asked
for. Where the input is no terminal, its lines are sent, each message is printed
once it is whole, and the end of the input waits for an answer to the last line.`,
		Example: `  mindroom chat --homeserver https://matrix.example.org --user you --room '#lobby:example.org'
  echo '@watcher what changed?' | mindroom chat --homeserver http://localhost:8008 \
      --user you --password-file pw --room '#lobby:localhost' --last 0 --wait 2m`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(u); err != nil {
				return err
			}
			return f.chat(cmd.Context(), u)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.homeserver, "homeserver", "", "`address` of the homeserver (default: MATRIX_HOMESERVER)")
	flags.StringVarP(&f.user, "user", "u", "", "`name` of the account")
	flags.StringVar(&f.passwordFile, "password-file", "", "`file` whose first line is the password")
	flags.StringVarP(&f.room, "room", "r", "", "`room`, as #alias:server or !id")
	flags.StringVar(&f.thread, "thread", "", "`event` that opened the thread to write into")
	flags.StringVar(&f.keys, "keys", "", "`folder` for the keys of encrypted rooms (default: ~/.local/state/mindroom/chat)")
	flags.StringVar(&f.recoveryFile, "recovery-key-file", "", "`file` with the account's recovery key: signs this device, so that others see it as verified")
	flags.IntVarP(&f.last, "last", "n", 20, "show this `number` of past messages")
	flags.DurationVar(&f.wait, "wait", time.Minute, "wait so long for an answer when the input ends and is no terminal")
	return documented(cmd, page{statuses: []int{exitInterrupted}, notes: map[int]string{
		exitDone:        "the chat was left, or the last line of the input was answered",
		exitFailed:      "no login, no such room, or no answer in time; the reason is on stderr",
		exitInterrupted: "a signal ended it",
	}})
}

func (f *chatFlags) check(u *ui) error {
	if f.homeserver == "" {
		f.homeserver, _ = u.lookup("MATRIX_HOMESERVER")
	}
	for _, need := range []struct{ name, value string }{{"homeserver", f.homeserver}, {"user", f.user}, {"room", f.room}} {
		if need.value == "" {
			return usagef("chat wants --%s", need.name)
		}
	}
	switch {
	case !strings.HasPrefix(f.room, "#") && !strings.HasPrefix(f.room, "!"):
		return usagef("--room %s is no room: use an alias as #lobby:example.org, or an id that begins with !", f.room)
	case f.last < 0:
		return usagef("--last %d is negative: use 0 for none", f.last)
	case f.wait < 0:
		return usagef("--wait %s is negative: use 0 for not at all", f.wait)
	}
	return nil
}

func (f *chatFlags) chat(parent context.Context, u *ui) error {
	password, err := u.password(f.passwordFile, f.user)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(parent, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	done := u.waiting("waiting for " + f.homeserver + " …")
	c, room, err := f.enter(ctx, u, password)
	done()
	if err != nil {
		return err
	}
	defer f.leave(u, c)
	// Keys that came while nobody listened are there before the past is read.
	if err := c.Catch(ctx); err != nil {
		return f.why(ctx, err, "try again")
	}
	err = f.converse(ctx, u, c, room)
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

// why adds what to do to an error, unless a signal is the reason.
func (f *chatFlags) why(ctx context.Context, err error, what string) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return fmt.Errorf("%w: %s", err, what)
}

// leave ends the login, so that no device is left behind but one that is kept.
func (f *chatFlags) leave(u *ui, c *person.Client) {
	defer c.Close()
	if c.Lasting() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := c.Logout(ctx); err != nil && !person.Refused(err) {
		u.fail(fmt.Errorf("%w: the login stays until you end it in another client", err))
	}
}

func (f *chatFlags) converse(ctx context.Context, u *ui, c *person.Client, room string) (err error) {
	in, err := tty.NewInput(os.Stdin)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	o := console.Options{Person: c, UserID: c.UserID, Room: room, Thread: f.thread, Last: f.last}
	if u.inTTY && u.outTTY {
		t, err := console.NewTerminal(in, os.Stdin, os.Stdout, u.colour)
		if err != nil {
			return err
		}
		o.Input, o.Screen = t, t
		return errors.Join(console.Run(ctx, o), t.Close())
	}
	o.Input, o.Screen, o.Answer = console.Lines(in), console.Pipe(u.out, u.err), f.wait
	return console.Run(ctx, o)
}
