//go:build linux

package guard

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// signals are what the supervisor hears. HUP, INT and the like are caught and dropped, not ignored: what is ignored stays ignored in the leader,
// what is caught is reset for it.
type signals struct{ child, term, drop chan os.Signal }

func catch() *signals {
	s := &signals{child: make(chan os.Signal, 1), term: make(chan os.Signal, 1), drop: make(chan os.Signal, 1)}
	signal.Notify(s.child, unix.SIGCHLD)
	signal.Notify(s.term, unix.SIGTERM)
	signal.Notify(s.drop, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGPIPE, unix.SIGUSR1, unix.SIGUSR2)
	return s
}

func (s *signals) stop() {
	for _, c := range []chan os.Signal{s.child, s.term, s.drop} {
		signal.Stop(c)
	}
}

// alarm is a timer that is not there until it is set; its nil channel never fires.
type alarm struct{ t *time.Timer }

func (a *alarm) set(d time.Duration) {
	a.stop()
	a.t = time.NewTimer(d)
}

func (a *alarm) stop() {
	if a.t != nil {
		a.t.Stop()
		a.t = nil
	}
}

func (a *alarm) fired() <-chan time.Time {
	if a.t == nil {
		return nil
	}
	return a.t.C
}
