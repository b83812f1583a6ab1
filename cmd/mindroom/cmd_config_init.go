package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"mindroom/cmd/mindroom/tty"
)

// initFlags are the flags of config init.
type initFlags struct {
	path                               string
	provider, model, homeserver, owner string
	force, print, noInput              bool
}

func newConfigInit(u *ui) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [flags]",
		Short: "Write a first configuration",
		Long: `Write a configuration with one agent, and a .env file beside it that only you can
read. On a terminal it asks for what no flag says.

A configuration that exists is left alone without --force. Lines of a .env file that
exists stay: what is missing is added, and with --force the homeserver is replaced.`,
		Example: `  mindroom config init
  mindroom config init --no-input --owner @you:example.org --homeserver https://matrix.example.org
  mindroom config init --print --owner @you:example.org --provider ollama --model qwen3`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.init(cmd.Context(), u) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.path, "path", "p", "", "`file` to write (default: MINDROOM_CONFIG_PATH, config.yaml)")
	flags.StringVar(&f.provider, "provider", "", "`name` of the model's provider (default anthropic)")
	flags.StringVar(&f.model, "model", "", "the provider's `name` for the model (default: depends on the provider)")
	flags.StringVar(&f.homeserver, "homeserver", "", "`address` of the homeserver (default: MATRIX_HOMESERVER, http://localhost:8008)")
	flags.StringVar(&f.owner, "owner", "", "your Matrix `id`, who may talk to the agent")
	flags.BoolVarP(&f.force, "force", "f", false, "replace a configuration that exists")
	flags.BoolVar(&f.print, "print", false, "print the configuration on stdout and write nothing")
	flags.BoolVar(&f.noInput, "no-input", false, "ask nothing, also on a terminal")
	return documented(cmd, page{notes: map[int]string{
		exitDone:   "the files are written",
		exitFailed: "a file exists, or cannot be written; nothing was changed",
		exitUsage:  "wrong use: an unknown flag, or a value that is missing or cannot be right",
	}})
}

func (f *initFlags) init(ctx context.Context, u *ui) error {
	if f.path == "" {
		f.path, _ = u.lookup("MINDROOM_CONFIG_PATH")
	}
	if f.path == "" {
		f.path = "config.yaml"
	}
	path, err := filepath.Abs(f.path)
	if err != nil {
		return fmt.Errorf("the path %s means nothing here: %w: use another --path", f.path, err)
	}
	env, err := dotenvOf(u, path)
	if err != nil {
		return u.refused(path, err)
	}
	if !f.print && !f.force {
		if err := absent(path); err != nil {
			return err
		}
	}
	a := answers{provider: f.provider, model: f.model, homeserver: f.homeserver, owner: f.owner}
	ask := !f.noInput && u.inTTY && u.errTTY
	if err := a.complete(u, env, ask); err != nil {
		return err
	}
	text, err := a.configuration(path)
	if err != nil {
		return err
	}
	if f.print {
		_, err = u.out.Write(text)
		return err
	}
	if err := f.write(path, text, a, env); err != nil {
		return err
	}
	return u.begun(ctx, path, a)
}

// begun says what was written and what to do now.
func (u *ui) begun(ctx context.Context, path string, a answers) error {
	dotenv := filepath.Join(filepath.Dir(path), ".env")
	fmt.Fprintf(u.out, "wrote %s: the agent %s answers %s in the room %s\n", path, firstAgent, tty.Plain(a.owner), firstRoom)
	fmt.Fprintf(u.out, "wrote %s: settings and secrets, for your eyes only\n", dotenv)
	var at place
	j, err := at.judge(ctx, u, path)
	if err != nil {
		return err
	}
	if !j.Valid {
		u.judged(j)
		return reported{fmt.Errorf("%s has errors", path)}
	}
	fmt.Fprint(u.err, "\nnext:\n")
	for _, m := range j.Unready {
		fmt.Fprintf(u.err, "  %s, in %s for example\n", tty.Plain(m.Problem), dotenv)
	}
	fmt.Fprintf(u.err, "  mindroom run --config %s\n", path)
	fmt.Fprintf(u.err, "  then log in at %s as %s, accept the invitation to the room %s, and say hello to @%s\n", a.homeserver, tty.Plain(a.owner), firstRoom, firstAgent)
	return nil
}
