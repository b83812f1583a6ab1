package matrixmessage

import (
	"context"
	"strings"

	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

// place is where a call acts, and as whom.
type place struct {
	account Account
	room    string
	thread  string // the thread's root; empty is the room itself
}

// place finds where a call acts and holds invariant 3.
func (t *toolkit) place(ctx context.Context, in tool.Invocation, args arguments) (place, *tool.Fault) {
	if in.Who.Channel != identity.ChannelMatrix || in.Who.Room == "" {
		return place{}, tool.Faultf(tool.FaultTool, "this call has no Matrix conversation to speak in")
	}
	account, ready := t.Accounts.Account(in.Who.Agent)
	if !ready {
		return place{}, laterf("the Matrix account of %s is not ready yet; try again shortly", in.Who.Agent)
	}
	p := place{account: account, room: in.Who.Room, thread: in.Who.ResolvedThread}
	if args.RoomID != "" && args.RoomID != p.room {
		room, fault := t.foreign(ctx, in, account, args.RoomID)
		if fault != nil {
			return place{}, fault
		}
		if room != p.room {
			p.room, p.thread = room, ""
		}
	}
	switch args.ThreadID {
	case "":
	case wholeRoom:
		p.thread = ""
	default:
		p.thread = args.ThreadID
	}
	return p, nil
}

// foreign resolves a room that is not the call's own and says whether it may
// be used.
func (t *toolkit) foreign(ctx context.Context, in tool.Invocation, account Account, name string) (string, *tool.Fault) {
	room := name
	if !strings.HasPrefix(name, "!") {
		var known bool
		if room, known = t.Rooms.RoomID(name); !known {
			return "", closed()
		}
	}
	if room == in.Who.Room {
		return room, nil
	}
	there := in.Who
	there.Room, there.Thread, there.ResolvedThread = room, "", ""
	there.Session = identity.SessionID(room, "")
	// The requester is asked for apart from the authority, which has more to
	// weigh: whoever is not in a room neither reads nor writes there.
	answer := all(
		t.Rooms.Joined(ctx, room, in.Who.Requester),
		t.Rooms.Joined(ctx, room, account.UserID),
		t.Authority.May(ctx, there, in.Snapshot),
	)
	switch answer {
	case tool.Yes:
		return room, nil
	case tool.No:
		return "", closed()
	}
	return "", laterf("it cannot be told right now who is in that room; try again shortly")
}

// all is yes when every answer is, and no when one is: an answer that cannot be
// told does not hide a no.
func all(answers ...tool.Answer) tool.Answer {
	sum := tool.Yes
	for _, a := range answers {
		if a == tool.No {
			return tool.No
		}
		if a != tool.Yes {
			sum = tool.CannotTell
		}
	}
	return sum
}

// closed refuses a room, whether it exists or not.
func closed() *tool.Fault {
	return tool.Faultf(tool.FaultUnauthorised, "that room cannot be used from here: the requester and this agent must both be in it, and the requester must be allowed there")
}

func laterf(format string, args ...any) *tool.Fault {
	f := tool.Faultf(tool.FaultUnavailable, format, args...)
	f.Retryable = true
	return f
}
