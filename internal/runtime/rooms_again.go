package runtime

import (
	"context"
	"time"

	"mindroom/internal/matrix"
)

// Pauses between tries of rooms that could not be had at the start: a homeserver
// in trouble is back soon, a person who has to invite the router takes longer.
const (
	firstRoomPause = 5 * time.Second
	lastRoomPause  = 5 * time.Minute
)

// roomsAgain tries plans, which failed with err, until every room is there
// (spec/runtime.md 3.4), no sooner than the homeserver asks, and then has everybody
// look again who waits for one.
func (p *primary) roomsAgain(ctx context.Context, plans []matrix.RoomPlan, err error) error {
	if len(plans) == 0 {
		return nil
	}
	for wait := firstRoomPause; ; wait = min(2*wait, lastRoomPause) {
		timer := time.NewTimer(max(wait, matrix.Asked(err)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		var rooms map[string]string
		var failed []matrix.RoomPlan
		rooms, failed, err = p.network.EnsureRooms(ctx, plans)
		if ctx.Err() != nil {
			return nil
		}
		p.members.learn(rooms)
		for _, room := range rooms {
			p.roomChanged(room)
		}
		if len(failed) == 0 {
			p.log.Info("every room is ready")
			return nil
		}
		p.log.Warn("not every room is ready yet; trying again", "error", err)
		plans = failed
	}
}
