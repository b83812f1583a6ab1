package clock

import (
	"sync"
	"time"
)

const (
	// drift is how far the wall clock may be from where it was left to be
	// believed at once: more than any correction of a running clock.
	drift = time.Hour
	// believed is how long a clock that jumped further must stay there.
	believed = 24 * time.Hour
)

// Steady is a wall clock that a jump does not move: it goes on from where it was
// by the machine's monotonic clock, and follows the wall clock again when that
// came back, or stayed away for a day. What is kept for days must not be deleted
// because somebody set a clock wrong for a minute.
type Steady struct {
	wall Wall

	mu   sync.Mutex
	base time.Time // the wall clock at mark
	mark time.Time // with its monotonic reading
	// away is when the wall clock was first seen elsewhere; zero when it is not.
	away time.Time
}

// NewSteady begins where wall is now: a clock that is wrong at the start is
// believed.
func NewSteady(wall Wall) *Steady {
	return &Steady{wall: wall, base: wall.Now(), mark: time.Now()}
}

// Now returns the present instant in UTC. It may be called by several goroutines
// at once.
func (s *Steady) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	wall, here := s.wall.Now(), time.Now()
	told := s.base.Add(here.Sub(s.mark))
	switch {
	case wall.Sub(told).Abs() <= drift:
	case s.away.IsZero():
		s.away = here
		return told
	case here.Sub(s.away) < believed:
		return told
	}
	s.base, s.mark, s.away = wall, here, time.Time{}
	return wall
}
