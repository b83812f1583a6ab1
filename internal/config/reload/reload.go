package reload

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/config/watch"
)

// Options are what a Reloader works with. Path, Catalog, Holder and Env are required.
type Options struct {
	// Path is the configuration file, absolute.
	Path    string
	Catalog config.Catalog
	Holder  *config.Holder
	// Env is the environment of the start: it stays in force.
	Env config.Env
	// Process is the process's environment below which the .env file is read again; nil is none.
	Process func(string) (string, bool)
	// Now is the wall clock; nil is the system's.
	Now func() time.Time
	Log *slog.Logger // nil: slog.Default()
}

// Standing is how the configuration in force stands to what is on disk.
type Standing struct {
	// Number is that of the snapshot in force; Since when it is, zero for the start's own.
	Number uint64    `json:"number"`
	Since  time.Time `json:"since,omitzero"`
	// Fault says where what is on disk is wrong, and that the old stays in force; empty when both are one.
	Fault string `json:"fault,omitempty"`
	// Restart names variables of the .env file that only a restart takes up.
	Restart []string `json:"restart,omitempty"`
}

// Reloader follows the files of a configuration. Make one with New, let it Run.
type Reloader struct {
	o        Options
	standing atomic.Pointer[Standing]

	// What follows belongs to Run.
	judged  string // digest of the text that was judged last
	missing bool   // it was not there at the last look
	envSeen string // what was last said of the .env file
}

// New makes a Reloader that follows nothing yet.
func New(o Options) *Reloader {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &Reloader{o: o, judged: o.Holder.Current().Config.Source.Digest}
	r.standing.Store(&Standing{Number: o.Holder.Current().Number})
	return r
}

// Standing may be asked from any goroutine.
func (r *Reloader) Standing() Standing { return *r.standing.Load() }

// Run follows the files until ctx ends, and returns nil then. asked has them looked at once (SIGHUP); it may be nil.
func (r *Reloader) Run(ctx context.Context, asked <-chan os.Signal) error {
	return watch.Run(ctx, watch.Options{
		Base: filepath.Dir(r.o.Path), Paths: r.paths, Asked: asked, Log: r.o.Log,
		Changed: func(_ context.Context, asked bool) bool { return r.Look(asked) },
	})
}

// paths are the files and folders that the configuration on disk is made of, and the .env file beside it.
func (r *Reloader) paths() (files, folders []string) {
	source, err := config.Look(r.o.Path)
	if err != nil {
		// What was read last is the best guess of what will be there again.
		source = r.o.Holder.Current().Config.Source
	}
	files = []string{r.o.Path, r.o.Env.File()}
	for _, f := range source.Files {
		files = append(files, f.Path)
	}
	return files, source.Dirs
}

// Look takes up what is on disk now. asked has it told that there is nothing new. True: it should be looked at again soon. It
// must not be called by two goroutines at a time.
func (r *Reloader) Look(asked bool) (again bool) {
	r.lookAtEnv()
	source, err := config.Look(r.o.Path)
	if errors.Is(err, fs.ErrNotExist) && !r.missing {
		r.missing = true
		return true
	}
	r.missing = errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil:
		if r.judged != err.Error() || asked {
			r.refuse(err)
		}
		r.judged = err.Error()
		return false
	case source.Digest == r.judged && !asked:
		return false
	}
	r.judged = source.Digest
	r.judge(asked)
	return false
}

// judge loads what is on disk and publishes it.
func (r *Reloader) judge(asked bool) {
	next, warnings, err := config.Load(r.o.Path, r.o.Catalog, r.o.Env)
	if err != nil {
		r.refuse(err)
		return
	}
	r.judged = next.Source.Digest
	now := r.o.Holder.Current()
	if next.Source.Digest == now.Config.Source.Digest {
		if standing := r.Standing(); standing.Fault != "" {
			r.o.Log.Info("the configuration on disk is the one in force again", "snapshot", now.Number)
			standing.Fault = ""
			r.standing.Store(&standing)
		} else if asked {
			r.o.Log.Info("the configuration has not changed", "snapshot", now.Number)
		}
		return
	}
	for _, w := range warnings {
		r.o.Log.Warn("configuration", "warning", w.String())
	}
	published, err := r.o.Holder.Publish(next)
	if err != nil {
		// What a participant objects to may pass without any change of the files.
		r.judged = ""
		if asked || r.Standing().Fault != err.Error() {
			r.refuse(err)
		}
		return
	}
	standing := r.Standing()
	standing.Number, standing.Since, standing.Fault = published.Number, r.o.Now().UTC(), ""
	r.standing.Store(&standing)
	come, gone := difference(now.Config, next)
	r.o.Log.Info("configuration reloaded", "snapshot", published.Number, "agents", len(next.Agents), "new", come, "removed", gone)
}

// difference names the agents that only one of two configurations has.
func difference(old, next *config.Config) (come, gone []string) {
	for _, name := range next.AgentNames() {
		if old.Agents[name] == nil {
			come = append(come, name)
		}
	}
	for _, name := range old.AgentNames() {
		if next.Agents[name] == nil {
			gone = append(gone, name)
		}
	}
	return come, gone
}

// refuse tells what is wrong with what is on disk; what is in force stays.
func (r *Reloader) refuse(err error) {
	var faults config.Errors
	standing := r.Standing()
	standing.Fault = err.Error()
	if errors.As(err, &faults) {
		standing.Fault = faults[0].Error()
		if n := len(faults) - 1; n > 0 {
			standing.Fault += fmt.Sprintf(" (and %d more)", n)
		}
		for _, fault := range faults {
			r.o.Log.Error("the changed configuration is refused, the old one stays in force", "fault", fault.Error())
		}
	} else {
		r.o.Log.Error("the changed configuration is refused, the old one stays in force", "fault", err.Error())
	}
	r.standing.Store(&standing)
}

// lookAtEnv tells which variables of the .env file wait for a restart, once for each change.
func (r *Reloader) lookAtEnv() {
	env, err := config.ReadEnv(filepath.Dir(r.o.Path), r.o.Process)
	if err != nil {
		if r.envSeen != err.Error() {
			r.o.Log.Error("the changed .env file has a fault; a restart would not start", "file", r.o.Env.File(), "error", err)
		}
		r.envSeen = err.Error()
		return
	}
	names := r.o.Env.Changed(env)
	if seen := fmt.Sprint(names); seen != r.envSeen && !(r.envSeen == "" && len(names) == 0) {
		r.envSeen = seen
		if len(names) > 0 {
			r.o.Log.Warn("variables of the .env file have changed; restart MindRoom to take them up", "file", r.o.Env.File(), "variables", names)
		}
	}
	if standing := r.Standing(); !slices.Equal(standing.Restart, names) {
		standing.Restart = names
		r.standing.Store(&standing)
	}
}
