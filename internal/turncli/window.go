package turncli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/media"
	"mindroom/internal/tool"
)

// window is the time in which one command of the response may submit calls, those
// of shells that it calls included (C17, C19).
type window struct {
	id string
	// parent is the call whose command it is.
	parent tool.Ref
	// base has the values of the context in which the command was started.
	base context.Context
	// command: the command's own call has not yet waited for the rest.
	command bool
	// jobs are commands that went on in the background and hold the window (M19).
	jobs int
	// active are the window's operations without an end; asking are those of them
	// that wait for a person.
	active, asking int
	closed         bool

	told    bool // what follows was handed over
	paused  bool
	media   []media.Ref
	faults  []error
	control tool.Control
}

// Open opens the window of a command, or shares that of its parent where the
// shell was itself called through mindroom-agent (C02). It fails once the response
// has ended or something asked for control: the command must not start.
func (o *Owner) Open(ctx context.Context, parent tool.Ref) (tool.Scope, error) {
	var folder string
	if o.reg.Folder != nil {
		var err error
		if folder, err = o.reg.Folder(); err != nil {
			return nil, fmt.Errorf("mindroom-agent cannot be laid out: %w", err)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case parent.Owner != o.turn:
		return nil, fmt.Errorf("the call %s is none of this response", parent)
	case o.phase != live && !o.inside(parent), o.expired():
		return nil, errors.New("the response has ended")
	case o.fence != "":
		return nil, errors.New(o.fenced())
	}
	if c := o.calls[parent.ID]; parent.Door == tool.DoorCLI && c != nil && c.window != nil && !c.window.closed {
		return &inner{o: o, w: c.window, folder: folder}, nil
	}
	w := &window{id: o.windowID(parent), parent: parent, base: context.WithoutCancel(ctx), command: true}
	o.windows[w.id], o.used[w.id] = w, true
	return &outer{o: o, w: w, folder: folder}, nil
}

// inside reports whether a call is one of a window that is still open.
func (o *Owner) inside(ref tool.Ref) bool {
	c := o.calls[ref.ID]
	return ref.Door == tool.DoorCLI && o.phase == released && c != nil && c.window != nil && !c.window.closed
}

// maxID bounds a window's id in bytes: it travels in a header.
const maxID = 128

// windowID is the provider's id of the call, which people and the model know, or
// an id of its own where that is no safe header value or meant another command.
func (o *Owner) windowID(parent tool.Ref) string {
	if id, ok := providerID(parent); ok && !o.used[id] {
		return id
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails; a window's id is no secret
	return "native-" + hex.EncodeToString(b[:])
}

// providerID is the provider's part of a turn's call (ROUND.PLACE.ID); false when
// it has none that is a safe header value.
func providerID(ref tool.Ref) (string, bool) {
	parts := strings.SplitN(ref.ID, ".", 3)
	if ref.Door != tool.DoorTurn || len(parts) < 3 || !safe(parts[2]) {
		return "", false
	}
	return parts[2], true
}

func safe(id string) bool {
	ok := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.:|/+=", c) >= 0
	}
	for i := range len(id) {
		if !ok(id[i]) {
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// drained lets go of the calls of a window whose command has returned where they
// all wait for a person, and reports whether none is left: then the window is
// closed, unless a job holds it, in this same moment (C18). It is called with mu
// held.
func (o *Owner) drained(w *window) bool {
	if w.active > 0 && w.active == w.asking && !o.discard {
		for _, c := range o.calls {
			if c.window == w && c.asking {
				c.letGo()
			}
		}
	}
	if w.active > 0 {
		return false
	}
	o.shut(w)
	return true
}

// shut closes a window that nothing holds any more. It is called with mu held.
func (o *Owner) shut(w *window) {
	if !w.command && w.jobs == 0 && w.active == 0 {
		o.close(w)
	}
}

// close takes nothing more under the window. It is called with mu held.
func (o *Owner) close(w *window) {
	if !w.closed {
		w.closed = true
		delete(o.windows, w.id)
		o.wake()
		o.lapse()
	}
}

// tell hands over what the calls of w left. It is called with mu held.
func (o *Owner) tell(w *window) tool.Enclosed {
	w.told = true
	return tool.Enclosed{Media: slices.Clone(w.media), Control: w.control, Paused: w.paused, Err: errors.Join(w.faults...)}
}

// fenced says why nothing is admitted. It is called with mu held.
func (o *Owner) fenced() string {
	return fmt.Sprintf("cancelled before it was dispatched, because %s was called, which ends this step of the response; nothing more can be called in it", o.fence)
}
