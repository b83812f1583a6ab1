package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
	"mindroom/internal/supervise/wire"
)

// evidence is all that is known of a tree whose supervisor is dead.
type evidence struct {
	id    string
	group contain.Group
	seen  []proc.Ident
}

// Pace of the search for what is left.
const (
	searchFirst = 2 * time.Millisecond
	searchMost  = 200 * time.Millisecond
	// cleanSearches in a row make a proof where no cgroup does: one reading of /proc is not one moment.
	cleanSearches = 2
)

// prove kills what is left of the tree until nothing is, and says how that is known. It fails with KindUnproven when ctx ends first.
func (e evidence) prove(ctx context.Context) (wire.Proof, error) {
	var trouble error
	clean := 0
	for wait := searchFirst; ; wait = min(2*wait, searchMost) {
		left, err := e.left()
		if err == nil && len(left) == 0 {
			clean++
			if clean >= cleanSearches || e.group.Holds() {
				return e.done()
			}
			continue
		}
		clean = 0
		trouble = errors.Join(err, e.kill(left))
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return "", &Error{Kind: KindUnproven, Text: fmt.Sprintf("%d processes of the run may still live; try again", len(left)), Err: errors.Join(ctx.Err(), trouble)}
		}
	}
}

func (e evidence) done() (wire.Proof, error) {
	// An empty folder that cannot be removed harms nobody, and is no reason to doubt the proof.
	_ = e.group.Remove()
	if e.group.Holds() {
		return wire.ProofCgroup, nil
	}
	return wire.ProofSearch, nil
}

// left lists what lives: in the groups, among those seen before, below them, and with the tree's marker.
func (e evidence) left() ([]proc.Ident, error) {
	found := map[proc.Ident]bool{}
	members, err := e.group.Members()
	if err != nil {
		return nil, err
	}
	marked, err := proc.Marked(wire.MarkerName + "=" + e.id)
	if err != nil {
		return nil, err
	}
	for _, s := range append(members, marked...) {
		found[s.Ident] = true
	}
	for _, id := range e.seen {
		alive, err := proc.Alive(id)
		if err != nil {
			return nil, err
		}
		if alive {
			found[id] = true
		}
	}
	var all []proc.Ident
	for id := range found {
		if id.Pid == os.Getpid() {
			continue
		}
		all = append(all, id)
		below, err := proc.Descendants(id.Pid)
		if err != nil {
			return nil, err
		}
		for _, s := range below {
			if !found[s.Ident] {
				all = append(all, s.Ident)
			}
		}
	}
	return all, nil
}

// kill stops all before it kills any, so that none can fork in between.
func (e evidence) kill(left []proc.Ident) error {
	errs := []error{e.group.Kill()}
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, id := range left {
			if err := proc.Signal(id, sig); err != nil && !errors.Is(err, proc.ErrGone) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}
