package watch

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quietFactor is how many quiet times a change waits for quiet at most.
const quietFactor = 10

// Options say what is watched and who is told. Base, Paths and Changed are required.
type Options struct {
	// Base is the folder in which the paths lie, absolute: replacing it, or what lies above it, is not noticed by an event.
	Base string
	// Paths are the files that count, and the folders every entry of which does, absolute. It is asked for after each Changed.
	Paths func() (files, folders []string)
	// Changed looks at what is there now; asked says that somebody wants it looked at, whether or not anything changed. True asks
	// to be called again after another quiet time.
	Changed func(ctx context.Context, asked bool) (again bool)
	// Asked has Changed called at once; nil never does.
	Asked <-chan os.Signal
	// Quiet is how long nothing may happen before Changed is called; 0 means half a second.
	Quiet time.Duration
	// Poll is how often Changed is called without any event; 0 means 30 seconds.
	Poll time.Duration
	// Log hears that the file system tells nothing; nil is slog.Default().
	Log *slog.Logger
}

// Run watches until ctx ends. Where the file system cannot be listened to, it looks every Poll; it returns nil in any case.
func Run(ctx context.Context, o Options) error {
	if o.Quiet == 0 {
		o.Quiet = 500 * time.Millisecond
	}
	if o.Poll == 0 {
		o.Poll = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	w := &watcher{Options: o}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		o.Log.Warn("changes of the configuration are looked for, not heard of", "every", o.Poll, "error", err)
	} else {
		defer notify.Close()
		w.notify = notify
	}
	w.run(ctx)
	return nil
}

type watcher struct {
	Options
	notify *fsnotify.Watcher // nil: nothing is heard
	names  map[string]bool   // what counts by itself
	inside map[string]bool   // folders whose every entry counts
}

func (w *watcher) run(ctx context.Context) {
	poll := time.NewTicker(w.Poll)
	defer poll.Stop()
	// What happened before anybody listened is found by the first look.
	w.aim()
	again := w.Changed(ctx, false)
	w.aim()
	var events <-chan fsnotify.Event
	var faults <-chan error
	if w.notify != nil {
		events, faults = w.notify.Events, w.notify.Errors
	}
	var quiet, latest <-chan time.Time // nil: nothing has happened
	for {
		if again {
			again, quiet = false, time.After(w.Quiet)
		}
		asked := false
		select {
		case <-ctx.Done():
			return
		case _, asked = <-w.Asked:
		case e := <-events:
			if !w.counts(e.Name) {
				continue
			}
			if latest == nil {
				latest = time.After(quietFactor * w.Quiet)
			}
			quiet = time.After(w.Quiet)
			continue
		case err := <-faults:
			w.Log.Debug("events of the configuration's files may be lost", "error", err)
		case <-quiet:
		case <-latest:
		case <-poll.C:
		}
		quiet, latest = nil, nil
		w.aim() // before the look: what changes after it is heard
		again = w.Changed(ctx, asked)
		w.aim()
	}
}

// counts reports whether a name is one of those that matter.
func (w *watcher) counts(name string) bool {
	return w.names[name] || w.inside[filepath.Dir(name)]
}

// aim listens where the paths lie now, and no longer where they lay.
func (w *watcher) aim() {
	files, folders := w.Paths()
	w.names, w.inside = map[string]bool{}, map[string]bool{}
	wanted := map[string]bool{}
	for i, path := range append(append([]string{}, files...), folders...) {
		names := trail(w.Base, path)
		for _, name := range names {
			w.names[name] = true
			wanted[filepath.Dir(name)] = true
		}
		if i >= len(files) {
			at := path
			if len(names) > 0 {
				at = names[len(names)-1]
			}
			w.inside[at], wanted[at] = true, true
		}
	}
	if w.notify == nil {
		return
	}
	for _, have := range w.notify.WatchList() {
		if !wanted[have] {
			_ = w.notify.Remove(have) // it may be gone, and its watch with it
		}
	}
	for folder := range wanted {
		// A folder that is not there yet is found when the name above it appears, or by a look.
		if err := w.notify.Add(folder); err != nil {
			w.Log.Debug("a folder of the configuration is looked at, not listened to", "folder", folder, "error", err)
		}
	}
}
