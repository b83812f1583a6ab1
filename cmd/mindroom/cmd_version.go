package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"mindroom/internal/supervise/wire"
)

// build says what this binary is.
type build struct {
	// Version is the build's id; mindroom-supervise and mindroom-agent must have the same one.
	Version string `json:"version"`
	// Commit is empty when the binary was built outside a repository.
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() build {
	b := build{Version: wire.Build, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				b.Commit = s.Value
			case "vcs.modified":
				b.Modified = s.Value == "true"
			}
		}
	}
	return b
}

func newVersion(u *ui) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version [--json]",
		Short: "Print the version",
		Long: `Print the version of this binary. It is also the build that mindroom-supervise
and mindroom-agent, which are installed beside it, must have.`,
		Example: `  mindroom version
  mindroom version --json | jq -r .version`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			if asJSON {
				return u.json(b)
			}
			commit := ""
			if b.Commit != "" {
				commit = " commit " + b.Commit
				if b.Modified {
					commit += " with changes"
				}
			}
			_, err := fmt.Fprintf(u.out, "mindroom %s%s (%s, %s)\n", b.Version, commit, b.Go, b.Platform)
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return documented(cmd, page{})
}
