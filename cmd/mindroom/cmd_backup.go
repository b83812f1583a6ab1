package main

import (
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/backup"
	"mindroom/internal/config"
	"mindroom/internal/runtime"
	"mindroom/internal/supervise/wire"
)

// backedUp is what backup --json prints.
type backedUp struct {
	Folder string `json:"folder"`
	backup.Manifest
}

func newBackup(u *ui) *cobra.Command {
	var at place
	var asJSON, withWorkspaces bool
	cmd := &cobra.Command{
		Use:   "backup FOLDER [flags]",
		Short: "Copy the installation into a folder",
		Long: `Copy the installation into FOLDER, which must not exist: the database, the keys of
encrypted rooms, the files that messages carry, the configuration with what it
includes, and the .env beside it. It works beside a running MindRoom, which does not
notice, and without one. FOLDER appears when everything is in it.

The backup holds every secret of the installation in the clear and is readable by
your account only: keep it so. Variables of the environment are not in it.`,
		Example: `  mindroom backup /var/backups/mindroom-$(date +%F)
  mindroom backup --workspaces before-the-upgrade
  mindroom backup --json nightly | jq .created_at`,
		Args: exactly("FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			o, err := at.installed(u)
			if err != nil {
				return err
			}
			o.Workspaces, o.Version, o.Progress = withWorkspaces, wire.Build, u.progress
			if o.To, err = filepath.Abs(args[0]); err != nil {
				return err
			}
			m, err := backup.Write(ctx, o)
			switch {
			case ctx.Err() != nil:
				return errInterrupted
			case errors.Is(err, backup.ErrNoDatabase):
				return fmt.Errorf("%w: name the right --config or --storage-path", err)
			case err != nil:
				return err
			case asJSON:
				return u.json(backedUp{o.To, m})
			}
			return u.backedUp(o.To, m)
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&withWorkspaces, "workspaces", false, "copy the agents' workspaces too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object: the manifest of the backup")
	return documented(cmd, page{statuses: []int{exitInterrupted}})
}

// progress tells how far something is, on stderr.
func (u *ui) progress(line string) { fmt.Fprintln(u.err, "mindroom:", line) }

func (u *ui) backedUp(folder string, m backup.Manifest) error {
	fmt.Fprintf(u.out, "%s\n", tty.Plain(folder))
	fmt.Fprintf(u.err, "mindroom: %d files, %d KiB; it holds every secret of this installation in the clear\n", len(m.Files), m.Bytes()>>10)
	for _, path := range m.LeftOut {
		fmt.Fprintf(u.err, "mindroom: not in it: %s\n", tty.Plain(path))
	}
	return nil
}

// installed is the installation that is backed up. A configuration that is at
// fault is copied all the same.
func (p *place) installed(u *ui) (backup.Options, error) {
	path, err := p.find(u)
	if errors.Is(err, errNoConfig) && (p.storage != "" || isSet(u, "MINDROOM_STORAGE_PATH") || isSet(u, "MINDROOM_CONTROL_STATE_PATH")) {
		_, set, err := p.load(u, "config.yaml")
		return backup.Options{Installation: backup.Installation{Control: set.ControlPath, Storage: set.StoragePath}}, err
	}
	if err != nil {
		return backup.Options{}, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return backup.Options{}, err
	}
	env, set, err := p.load(u, path)
	if err != nil {
		return backup.Options{}, err
	}
	source, err := config.Look(path)
	if err != nil {
		return backup.Options{}, err
	}
	o := backup.Options{Installation: backup.Installation{Control: set.ControlPath, Storage: set.StoragePath, Config: path}}
	for _, f := range source.Files {
		o.Includes = append(o.Includes, f.Path)
	}
	catalog, err := runtime.Catalog()
	if err != nil {
		return o, err
	}
	if c, _, err := config.Load(path, catalog, env); err == nil {
		for _, rule := range c.Approval.Rules {
			if rule.Script != "" {
				o.Includes = append(o.Includes, rule.Script)
			}
		}
	}
	return o, nil
}
