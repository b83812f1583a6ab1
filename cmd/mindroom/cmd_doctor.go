package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/runtime/doctor"
)

func newDoctor(u *ui) *cobra.Command {
	var at place
	var asJSON bool
	var port int
	cmd := &cobra.Command{
		Use:   "doctor [flags]",
		Short: "Look whether everything is there",
		Long: `Look whether everything that MindRoom needs is there: configuration, storage,
homeserver, registration, models (one short question each), Python and the script
SDK, process containment, the port, runs that are left over, skills, the keys of
encrypted rooms.

Each line says what was found and, where something is wrong, what mends it. Nothing
is changed.`,
		Example: `  mindroom doctor
  mindroom doctor --config house.yaml
  mindroom doctor --json | jq '.[] | select(.status != "ok")'`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := at.find(u)
			if err != nil {
				return err
			}
			all := []doctor.Finding{}
			good := doctor.Examine(cmd.Context(), doctor.Options{ConfigPath: path, APIPort: port, Lookup: at.overlay(u)}, func(f doctor.Finding) {
				all = append(all, f)
				if !asJSON {
					u.finding(f)
				}
			})
			if asJSON {
				if err := u.json(all); err != nil {
					return err
				}
			}
			if !good {
				return reported{errors.New("something is missing")}
			}
			return nil
		},
	}
	at.flags(cmd)
	cmd.Flags().IntVar(&port, "api-port", 0, "`port` the API would listen on (default: MINDROOM_PORT, 8765)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON list")
	return documented(cmd, page{notes: map[int]string{
		exitDone:   "everything is there, perhaps with warnings",
		exitFailed: "something is missing, or the configuration cannot be read",
	}})
}

// finding prints one line of the report, and its fix below it.
func (u *ui) finding(f doctor.Finding) {
	colour := map[doctor.Status]ink{doctor.OK: green, doctor.Warn: yellow, doctor.Fail: red}[f.Status]
	fmt.Fprintf(u.out, "%s  %-14s %s\n", u.paint(u.outTTY, colour, fmt.Sprintf("%-4s", f.Status)), f.Check, tty.Plain(f.Found))
	if f.Fix != "" {
		fmt.Fprintf(u.out, "%6s%-14s %s\n", "", "", tty.Plain(f.Fix))
	}
}
