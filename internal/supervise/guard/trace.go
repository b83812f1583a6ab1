//go:build linux

package guard

import (
	"slices"
	"time"

	"mindroom/internal/supervise/proc"
)

// How often the tree is written down where no cgroup holds it: soon after the start, when most of a tree is born, then ever more rarely.
const (
	traceFirst = 100 * time.Millisecond
	traceMost  = 5 * time.Second
	// traceLimit bounds the list. A larger tree is found by its marker.
	traceLimit = 1024
)

// follow writes the tree down for a client that may have to end it without us.
func (g *guard) follow() {
	g.traceNext = min(max(2*g.traceNext, traceFirst), traceMost)
	g.trace.set(g.traceNext)
	kids, err := proc.Descendants(g.self.Pid)
	if err != nil {
		g.talk.note(err)
		return
	}
	var now []proc.Ident
	for _, k := range kids[:min(len(kids), traceLimit)] {
		now = append(now, k.Ident)
	}
	if slices.Equal(now, g.tree) {
		return
	}
	g.tree = now
	if err := g.remember(); err != nil {
		g.talk.note(err)
	}
	g.publish()
}
