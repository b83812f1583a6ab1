package matrix

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync"

	"mindroom/internal/person"
	"mindroom/test/faultproxy"
	"mindroom/test/homeserver"
)

// lostKey has Ann say something in a room that she encrypted, whose key gets lost on
// its way to our accounts.
func lostKey(ctx context.Context, r *rig) (ann *person.Client, room, sent string) {
	r.t.Helper()
	wire, err := faultproxy.Start(r.hs.URL)
	must(r.t, err)
	r.t.Cleanup(wire.Close)
	ann, err = person.Register(ctx, wire.URL, "ann-"+homeserver.Suffix(), "password-"+rand.Text())
	must(r.t, err)
	r.t.Cleanup(ann.Close)
	room = r.prepared(ctx, ann)
	must(r.t, ann.Encrypt(ctx, room))
	wire.Arm(faultproxy.Fault{Status: 200, Body: "{}", Times: 1, Match: func(q *http.Request) bool {
		return strings.Contains(q.URL.Path, "/sendToDevice/m.room.encrypted/")
	}})
	sent, err = ann.Send(ctx, room, "can you read this?")
	must(r.t, err)
	return ann, room, sent
}

// looking has a person look at her rooms, so that her device answers what it is
// asked, until stop returns.
func looking(ctx context.Context, ann *person.Client) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() {
		_, _ = ann.WaitFor(ctx, func(person.Event) bool { return false }) // until it is stopped
	})
	return func() { cancel(); following.Wait() }
}
