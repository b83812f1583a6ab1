package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/runtime"
	"mindroom/internal/supervise/wire"
)

// runFlags are the flags of run.
type runFlags struct {
	place
	host, level, format string
	port                int
	noAPI               bool
}

func newRun(u *ui) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags]",
		Short: "Start the agents of a configuration",
		Long: `Start the agents of a configuration on its homeserver, and run until SIGINT or
SIGTERM, which ends everything in order; a second one ends at once. A changed
configuration is taken up by itself, and at once on SIGHUP; one with a fault is
refused, and the old one stays. On a terminal SIGHUP ends like SIGTERM.

The homeserver comes from MATRIX_HOMESERVER, keys of model providers from their
usual variables; all of them may stand in a file .env beside the configuration.
Logs go to stderr: short lines on a terminal, else one JSON object a line.`,
		Example: `  mindroom run
  MATRIX_HOMESERVER=https://matrix.example.org mindroom run --config house.yaml
  mindroom run --api-host 127.0.0.1 --log-level debug`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := f.run(cmd.Context(), u)
			if errors.Is(err, errNoConfig) {
				writeHelp(u.err, cmd)
			}
			return err
		},
	}
	f.flags(cmd)
	cmd.Flags().StringVar(&f.host, "api-host", "0.0.0.0", "`address` on which the API listens")
	cmd.Flags().IntVar(&f.port, "api-port", 0, "`port` of the API; -1 is any free one (default: MINDROOM_PORT, 8765)")
	cmd.Flags().BoolVar(&f.noAPI, "no-api", false, "open no API: health is not served, scripts, mindroom-agent and minimal mode are refused")
	cmd.Flags().StringVarP(&f.level, "log-level", "l", "", "debug, info, warning or error (default: LOG_LEVEL, info)")
	cmd.Flags().StringVar(&f.format, "log-format", "", "text or json (default: text on a terminal)")
	return documented(cmd, page{statuses: []int{exitInterrupted}, notes: map[int]string{
		exitDone:        "it ended in order, after a signal",
		exitFailed:      "it could not start, or something ended it; the reason is on stderr",
		exitInterrupted: "a second signal ended it at once",
	}})
}

func (f *runFlags) run(ctx context.Context, u *ui) error {
	// Signals count from here on, so that one during the start ends it in order too.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	reload := make(chan os.Signal, 1)
	signal.Notify(u.hangup(signals, reload), syscall.SIGHUP)
	defer signal.Stop(reload)
	if f.port < -1 || f.port > 65535 {
		return usagef("--api-port %d is no port: use 1 to 65535", f.port)
	}
	path, err := f.findOrCopy(u)
	if err != nil {
		return err
	}
	_, set, err := f.load(u, path)
	if err != nil {
		return err
	}
	level := set.LogLevel
	if f.level != "" {
		level = f.level
	}
	log, err := newLog(u, level, f.format)
	if err != nil {
		return err
	}
	log.Info("starting", "config", path, "storage", set.StoragePath, "homeserver", set.Matrix.Homeserver, "version", wire.Build)
	return runtime.Run(ctx, runtime.Options{
		ConfigPath: path, StoragePath: set.StoragePath, APIHost: f.host, APIPort: f.port, NoAPI: f.noAPI,
		Log: log, Version: wire.Build, Lookup: u.lookup, Signals: signals, Reload: reload,
		Ready: func(info runtime.Info) { u.ready(info) },
	})
}

// hangup is who hears SIGHUP: it has the configuration looked at, but on a
// terminal it says that the terminal is gone.
func (u *ui) hangup(end, reload chan os.Signal) chan os.Signal {
	if u.errTTY {
		return end
	}
	return reload
}

// ready shows on a terminal what a person needs now; the log has it otherwise.
func (u *ui) ready(info runtime.Info) {
	if !u.errTTY {
		return
	}
	api := info.API
	if api == "" {
		api = "none (--no-api)"
	}
	fmt.Fprintf(u.err, "\n%s\n  %-11s %s\n  %-11s %s\n", u.paint(true, bold, "MindRoom is ready; Ctrl-C ends it."), "homeserver", info.Homeserver, "API", api)
	u.rows("agent", info.Agents)
	u.rows("model", info.Models)
	u.rows("room", info.Rooms)
	fmt.Fprintln(u.err)
}

func (u *ui) rows(kind string, of map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(u.err, "  %-11s %s\n", kind, tty.Plain(name)+"  "+tty.Plain(of[name]))
	}
}
