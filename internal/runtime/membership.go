package runtime

import (
	"context"
	"maps"
	"strings"
	"sync"

	"mindroom/internal/authz"
	"mindroom/internal/matrix"
	"mindroom/internal/tool"
)

// membership joins authz with what matrix knows of rooms.
type membership struct {
	network *matrix.Network

	mu    sync.RWMutex
	rooms map[string]string // managed key → room id
}

var _ authz.Membership = (*membership)(nil)

// Joined says whether user is joined to the room now.
func (m *membership) Joined(ctx context.Context, room, user string) tool.Answer {
	switch m.network.Joined(ctx, room, user) {
	case matrix.Joined:
		return tool.Yes
	case matrix.NotJoined:
		return tool.No
	}
	return tool.CannotTell
}

// RoomNames are the room's id, its alias and its managed key.
func (m *membership) RoomNames(room string) []string {
	names := []string{room}
	if info, ok := m.network.Room(room); ok && info.Alias != "" {
		names = append(names, info.Alias)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	for key, id := range m.rooms {
		if id == room {
			names = append(names, key)
		}
	}
	return names
}

// RoomID finds a managed room by its key.
func (m *membership) RoomID(key string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	id, ok := m.rooms[key]
	return id, ok
}

// Own reports whether user is one of this runtime's accounts.
func (m *membership) Own(user string) bool {
	for _, id := range m.network.Accounts() {
		if id == user {
			return true
		}
	}
	return false
}

// learn adds rooms that were made or found.
func (m *membership) learn(rooms map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rooms == nil {
		m.rooms = map[string]string{}
	}
	maps.Copy(m.rooms, rooms)
}

// name is a room's name for a prompt; empty when it has none.
func (m *membership) name(room string) string {
	info, ok := m.network.Room(room)
	if !ok {
		return ""
	}
	if info.Name != "" {
		return info.Name
	}
	return strings.TrimPrefix(info.Alias, "#")
}
