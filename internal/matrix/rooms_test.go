package matrix

import (
	"slices"
	"strings"
	"testing"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/test/faultproxy"
)

// Rooms somebody else made, by id and by alias; one that is closed to us does
// not stop the others.
func TestForeignRooms(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	ann := r.hs.Person(t, "ann")
	for _, key := range []string{RouterKey, "news"} {
		_, err := r.net.Ensure(ctx, key, "")
		must(t, err)
	}
	open, err := ann.CreateRoom(ctx, "Open")
	must(t, err)
	must(t, ann.SetState(ctx, open, "m.room.join_rules", "", map[string]any{"join_rule": "public"}))
	byInvite, err := ann.CreateRoom(ctx, "By invitation", r.user(RouterKey))
	must(t, err)
	closed, err := ann.CreateRoom(ctx, "Closed")
	must(t, err)
	members := []string{RouterKey, "news"}
	rooms, _, err := r.net.EnsureRooms(ctx, []RoomPlan{
		{Key: closed, Members: members}, {Key: open, Members: members}, {Key: byInvite, Members: members},
	})
	if err == nil || !strings.Contains(err.Error(), closed) || !strings.Contains(err.Error(), "invite "+r.user(RouterKey)) {
		t.Errorf("the closed room: %v", err)
	}
	if len(rooms) != 2 || rooms[open] != open || rooms[byInvite] != byInvite {
		t.Errorf("rooms %v", rooms)
	}
	for _, room := range []string{open, byInvite} {
		in, err := ann.Members(ctx, room)
		must(t, err)
		for _, key := range members {
			if !slices.Contains(in, r.user(key)) {
				t.Errorf("%s is not in %s", key, room)
			}
		}
	}
}

// What a new room looks like, and that nobody who left is called back.
func TestManagedRoom(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	ann, bob := r.hs.Person(t, "ann"), r.hs.Person(t, "bob")
	plan := []RoomPlan{{Key: "daily_news", Topic: "All of it", Members: []string{"news", "unknown"},
		Invite: []string{ann.UserID, bob.UserID, ann.UserID}, Admins: []string{ann.UserID}, JoinRule: "knock"}}
	// The answer to the creation is lost: the next try finds the room by its alias.
	lost := r.proxy.Arm(faultproxy.Fault{Match: path("createRoom"), Times: 1, DropReply: true})
	room := r.run(ctx, plan, RouterKey, "news")["daily_news"]
	if lost.Hits() != 1 {
		t.Fatal("the fault was not met")
	}
	api := r.net.Account(RouterKey).api()
	joined, err := api.JoinedRooms(ctx)
	must(t, err)
	if len(joined.JoinedRooms) != 1 {
		t.Fatalf("rooms %v: the retry made another", joined.JoinedRooms)
	}
	var name event.RoomNameEventContent
	var topic event.TopicEventContent
	var rule event.JoinRulesEventContent
	var power event.PowerLevelsEventContent
	for kind, into := range map[event.Type]any{event.StateRoomName: &name, event.StateTopic: &topic, event.StateJoinRules: &rule, event.StatePowerLevels: &power} {
		must(t, api.StateEvent(ctx, id.RoomID(room), kind, "", into))
	}
	if name.Name != "Daily News" || topic.Topic != "All of it" || rule.JoinRule != "knock" {
		t.Errorf("%+v %+v %+v", name, topic, rule)
	}
	tags, tagged := power.Events["com.mindroom.thread.tags"]
	if power.GetUserLevel(id.UserID(ann.UserID)) != 100 || power.GetUserLevel(id.UserID(bob.UserID)) != 0 ||
		!tagged || tags != 0 || power.GetUserLevel(api.UserID) != 100 {
		t.Errorf("power of users %v, of events %v", power.Users, power.Events)
	}
	_, err = bob.Join(ctx, room)
	must(t, err)
	must(t, bob.Leave(ctx, room))
	_, _, err = r.net.EnsureRooms(ctx, plan)
	must(t, err)
	all, err := r.net.memberships(ctx, r.net.Account(RouterKey), id.RoomID(room))
	must(t, err)
	if all[id.UserID(bob.UserID)] != event.MembershipLeave || all[id.UserID(ann.UserID)] != event.MembershipInvite {
		t.Errorf("memberships %v", all)
	}
}
