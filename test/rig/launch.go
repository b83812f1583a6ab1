package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/script"
)

// Agent is the rig's one agent; its toolkits are script and the Kit.
const Agent = "worker"

const (
	room      = "!bench:example.org"
	thread    = "$bench"
	unlimited = 1_000_000
)

// Owner is who the runs of a requester belong to.
func Owner(requester string) script.Owner { return script.Owner{Requester: requester, Agent: Agent} }

// Request launches source for requester, with the whole toolkit allowed and
// limits that no benchmark reaches.
func Request(requester, source string) (script.Request, error) {
	src, err := script.InlineSource(source)
	if err != nil {
		return script.Request{}, err
	}
	return script.Request{
		Who: identity.InThread(Agent, requester, room, thread), Source: src, Allowed: []string{Toolkit},
		MaxConcurrent: unlimited, MaxCallsPerMinute: unlimited, MaxRuntime: time.Hour,
	}, nil
}

// Launch starts source for requester.
func (r *Rig) Launch(ctx context.Context, requester, source string) (*script.Run, error) {
	req, err := Request(requester, source)
	if err != nil {
		return nil, err
	}
	return r.Manager.Launch(ctx, req)
}

// Runs is the folder in which every run has its own while it is not terminal.
func (r *Rig) Runs() string { return r.runs }

// Capability is the capability of a running run, read where its script reads it.
func (r *Rig) Capability(run identity.RunID) (string, error) {
	raw, err := os.ReadFile(filepath.Join(r.runs, string(run), "capability"))
	if err != nil {
		return "", fmt.Errorf("the capability of %s: %w", run, err)
	}
	return string(raw), nil
}

// ErrFailed says that a script ended otherwise than with exit code 0; its text
// has what the script wrote.
var ErrFailed = errors.New("the script failed")

// Finish waits until the run is terminal and returns what it wrote.
func (r *Rig) Finish(ctx context.Context, id identity.RunID) (string, error) {
	for {
		// The channel is taken before the look, so that no end is missed.
		changed := r.changed()
		run, err := r.Manager.Find(ctx, string(id))
		if err != nil {
			return "", err
		}
		if run.State.Terminal() {
			out, err := r.Manager.Output(ctx, run, -1)
			if err == nil && run.State != script.Exited {
				err = fmt.Errorf("%w: %s is %s (%s): %s", ErrFailed, id, run.State, run.Error, out.Text)
			}
			return out.Text, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", fmt.Errorf("%s is still %s: %w", id, run.State, context.Cause(ctx))
		}
	}
}
