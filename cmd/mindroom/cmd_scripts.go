package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"mindroom/internal/control"
)

func newScripts(u *ui) *cobra.Command {
	cmd := group(&cobra.Command{
		Use:   "scripts",
		Short: "Show and end background scripts",
		Long: `Show and end the background scripts that agents started. The running MindRoom is
asked over its control socket, so these commands must run on its machine and
under its account.

RUN is a run id, the beginning of one, or a script's name if only one run has it.`,
		Example: `  mindroom scripts ls
  mindroom scripts logs watcher -f
  mindroom scripts cancel script-3fa8`,
	})
	cmd.AddCommand(newScriptsLs(u), newScriptsShow(u), newScriptsLogs(u), newScriptsCancel(u))
	return cmd
}

// errInterrupted ends a command that SIGINT or SIGTERM ended.
var errInterrupted = errors.New("interrupted")

// runtimeGone is control.ErrNotRunning with what to do about it.
type runtimeGone struct{ text string }

func (e runtimeGone) Error() string { return e.text }
func (e runtimeGone) Unwrap() error { return control.ErrNotRunning }

// askRuntime calls do with a client of the running MindRoom and turns its errors
// into ones that say what to do. The context ends at the first signal.
func (p *place) askRuntime(parent context.Context, u *ui, do func(ctx context.Context, c *control.Client) error) error {
	dir, err := p.control(u)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(parent, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	c := control.NewClient(dir)
	defer c.Close()
	err = do(ctx, c)
	var transport *url.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, fs.ErrPermission):
		return runtimeGone{fmt.Sprintf("the control socket in %s belongs to another account: use the one that runs MindRoom", dir)}
	case errors.Is(err, control.ErrNotRunning):
		return runtimeGone{fmt.Sprintf("no running MindRoom answers on the control socket in %s: start it with mindroom run, or name its --config", dir)}
	case errors.As(err, &transport):
		return runtimeGone{fmt.Sprintf("MindRoom ended while it was asked (%v): start it again with mindroom run", transport.Err)}
	}
	return err
}

// control is the folder of the control socket. A storage path alone is enough to
// know it, because a configuration only says where the default lies.
func (p *place) control(u *ui) (string, error) {
	path, err := p.find(u)
	if errors.Is(err, errNoConfig) {
		if p.storage == "" && !isSet(u, "MINDROOM_STORAGE_PATH") && !isSet(u, "MINDROOM_CONTROL_STATE_PATH") {
			return "", err
		}
		path, err = "config.yaml", nil
	}
	if err != nil {
		return "", err
	}
	// A variable that cannot be used stops a start, but the folder is known all the same.
	_, set, err := p.load(u, path)
	var faults interface{ Unwrap() []error }
	if err != nil && !errors.As(err, &faults) {
		return "", err
	}
	return filepath.Clean(set.ControlPath), nil
}

func isSet(u *ui, name string) bool {
	v, _ := u.lookup(name)
	return v != ""
}
