package matrix

import (
	"slices"

	"maunium.net/go/mautrix/id"
)

// Members lists the user ids joined to a room, sorted; false while that is not
// reliable.
func (n *Network) Members(room string) ([]string, bool) {
	v := n.view
	v.mu.RLock()
	defer v.mu.RUnlock()
	rv := v.rooms[id.RoomID(room)]
	if rv == nil || !rv.loaded || rv.stale {
		return nil, false
	}
	out := make([]string, 0, len(rv.joined))
	for u := range rv.joined {
		out = append(out, u.String())
	}
	slices.Sort(out)
	return out, true
}
