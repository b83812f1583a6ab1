package matrix

import (
	"time"

	"maunium.net/go/mautrix"
)

// patience is how long the homeserver may hold the next sync: shorter while keys
// or the state of a room are missing, which are asked for after it.
func (s *streak) patience() time.Duration {
	usual := s.wants.patience(s.n.cfg.LongPoll)
	if s.blind == 0 {
		return usual
	}
	return min(usual, backoff(s.blind, s.asked))
}

// rest is the pause before the next request. Something between us and the
// homeserver may not hold what should be held, and to ask again at once would never
// end. A few empty responses in a row are usual: of what is filtered out.
func (s *streak) rest() time.Duration {
	const usual, longest = 5, 2 * time.Second
	if s.idle <= usual {
		return 0
	}
	return min(backoff(s.idle-usual, 0), longest)
}

// empty reports whether a response says nothing to us.
func empty(r *mautrix.RespSync) bool {
	return len(r.Rooms.Join)+len(r.Rooms.Leave)+len(r.Rooms.Invite)+len(r.ToDevice.Events)+len(r.DeviceLists.Changed) == 0
}
