package identity

import "strings"

// ChannelMatrix is the only channel that can own a background script.
const ChannelMatrix = "matrix"

// Execution is the record carried through every tool call: for whom, by which
// agent, in which conversation. Its JSON form is stored with runs and turns.
type Execution struct {
	// Channel is ChannelMatrix for anything that came from a room.
	Channel string `json:"channel"`
	// Agent is the configured name (the YAML key) of the agent that acts.
	Agent string `json:"agent_name"`
	// Requester is the canonical Matrix id of the person on whose behalf it acts.
	Requester string `json:"requester_id"`
	// Room is the room id of the conversation.
	Room string `json:"room_id"`
	// Thread is the thread the triggering message named; empty for none.
	Thread string `json:"thread_id,omitempty"`
	// ResolvedThread is the root the answer goes to; empty in room mode.
	ResolvedThread string `json:"resolved_thread_id,omitempty"`
	// Session names the conversation: room, or room and thread root.
	Session string `json:"session_id"`
	// Tenant and Account are the deployment's own names; usually empty.
	Tenant  string `json:"tenant_id,omitempty"`
	Account string `json:"account_id,omitempty"`
	// Transport is the agent whose Matrix account carries the conversation.
	Transport string `json:"transport_agent_name"`
}

// SessionID names a conversation: the room, or the room and its thread root.
func SessionID(room, threadRoot string) string {
	if threadRoot == "" {
		return room
	}
	return room + ":" + threadRoot
}

// InThread is the identity of one agent acting for one requester in the
// conversation given by room and thread root (empty: the room itself).
func InThread(agent, requester, room, threadRoot string) Execution {
	return Execution{
		Channel: ChannelMatrix, Agent: agent, Requester: requester, Room: room,
		Thread: threadRoot, ResolvedThread: threadRoot,
		Session: SessionID(room, threadRoot), Transport: agent,
	}
}

// IsHuman reports whether id looks like a Matrix user (@local:server) and is
// none of the given accounts of this runtime. Approvals and self-triggers need
// a human requester (S18, S43).
func IsHuman(id string, own func(string) bool) bool {
	if !strings.HasPrefix(id, "@") || !strings.Contains(id[1:], ":") {
		return false
	}
	return own == nil || !own(id)
}
