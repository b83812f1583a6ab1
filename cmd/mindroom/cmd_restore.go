package main

import (
	"fmt"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/backup"
	"mindroom/internal/config"
	"mindroom/internal/runtime"
)

// restored is what restore --json prints.
type restored struct {
	Config  string          `json:"config"`
	Control string          `json:"control_state_path"`
	Storage string          `json:"storage_path"`
	Aside   []string        `json:"moved_aside"`
	Kept    []string        `json:"kept"`
	Backup  backup.Manifest `json:"backup"`
}

func newRestore(u *ui) *cobra.Command {
	var at place
	var asJSON, force bool
	cmd := &cobra.Command{
		Use:   "restore FOLDER [flags]",
		Short: "Put a backup back in place",
		Long: `Put the backup in FOLDER in place: for the installation that --config and
--storage-path name, as for every command; without --config the configuration goes to
./config.yaml. Every file of the backup is compared with its digest first.

It refuses while a MindRoom runs there, and where an installation is already; --force
moves that aside and deletes nothing. Files of the configuration that are there are
left as they are.

What was said since the backup is read at the next start, and answered only where the
agent did not answer before. Answers that were being written, and scripts that ran,
are interrupted.`,
		Example: `  mindroom restore /var/backups/mindroom-2026-03-01
  mindroom restore nightly --config house.yaml --storage-path /srv/mindroom
  mindroom restore --force before-the-upgrade`,
		Args: exactly("FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGINT, syscall.SIGTERM)
			defer stop()
			from, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			to, err := at.target(u, from)
			if err != nil {
				return err
			}
			r, err := backup.Restore(ctx, backup.RestoreOptions{From: from, Installation: to, Force: force, Schemas: runtime.Schemas(), Progress: u.progress})
			switch {
			case ctx.Err() != nil:
				return errInterrupted
			case err != nil:
				return err
			case asJSON:
				return u.json(restored{to.Config, to.Control, to.Storage, append([]string{}, r.Aside...), append([]string{}, r.Kept...), r.Manifest})
			}
			return u.restored(to, r)
		},
	}
	at.flags(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "move aside what is there")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return documented(cmd, page{statuses: []int{exitInterrupted}, notes: map[int]string{
		exitFailed: "the backup is damaged or of a newer version, MindRoom runs, or something is there already; nothing was changed",
	}})
}

// target is where a backup goes. A .env that is only in the backup counts, because
// it will be there.
func (p *place) target(u *ui, from string) (backup.Installation, error) {
	to := backup.Installation{Config: "config.yaml"}
	if named, _ := u.lookup("MINDROOM_CONFIG_PATH"); named != "" {
		to.Config = named
	}
	if p.config != "" {
		to.Config = p.config
	}
	var err error
	if to.Config, err = filepath.Abs(to.Config); err != nil {
		return to, err
	}
	beside := filepath.Dir(to.Config)
	if absent(filepath.Join(beside, ".env")) == nil {
		beside = filepath.Join(from, "config")
	}
	env, err := config.ReadEnv(beside, p.overlay(u))
	if err != nil {
		return to, err
	}
	set, err := config.LoadRuntime(env, to.Config)
	to.Control, to.Storage = set.ControlPath, set.StoragePath
	return to, err
}

func (u *ui) restored(to backup.Installation, r backup.Restored) error {
	m := r.Manifest
	fmt.Fprintf(u.err, "mindroom: restored the state of %s (%d files, %d KiB)\n", m.Created.Local().Format("2006-01-02 15:04:05"), len(m.Files), m.Bytes()>>10)
	for _, path := range r.Aside {
		fmt.Fprintf(u.err, "mindroom: moved aside: %s\n", tty.Plain(path))
	}
	for _, path := range r.Kept {
		fmt.Fprintf(u.err, "mindroom: left as it is: %s\n", tty.Plain(path))
	}
	for _, path := range m.LeftOut {
		fmt.Fprintf(u.err, "mindroom: was not in the backup: %s\n", tty.Plain(path))
	}
	_, err := fmt.Fprintln(u.out, tty.Plain(to.Control))
	return err
}
