package matrix

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/lifecycle"
)

const (
	loadRooms  = 100
	loadEvents = 100 // a room: what the filter asks for
)

// crowded is a homeserver whose first sync is as large as we let it be, half of
// it encrypted with keys that nobody has. It stands for the real one because
// that takes minutes to be told ten thousand messages.
func crowded(t *testing.T) *httptest.Server {
	joined, sync := make([]string, loadRooms), map[string]any{}
	now := time.Now().Add(time.Hour).UnixMilli() // after the account was made
	for i := range loadRooms {
		room := fmt.Sprintf("!room%d:x", i)
		joined[i] = room
		events := make([]map[string]any, loadEvents)
		for k := range loadEvents {
			e := map[string]any{"event_id": fmt.Sprintf("$%d-%d", i, k), "sender": fmt.Sprintf("@user%d:x", k%20), "origin_server_ts": now + int64(k)}
			e["type"], e["content"] = "m.room.message", map[string]any{"msgtype": "m.text", "body": strings.Repeat("word ", 40)}
			if i%2 == 1 {
				e["type"], e["content"] = "m.room.encrypted", map[string]any{"algorithm": "m.megolm.v1.aes-sha2",
					"session_id": fmt.Sprintf("%043d", i), "sender_key": "k", "ciphertext": strings.Repeat("A", 400)}
			}
			events[k] = e
		}
		sync[room] = map[string]any{"timeline": map[string]any{"events": events, "limited": true, "prev_batch": "p"}}
	}
	state := make([]map[string]any, 50)
	for k := range state {
		user := fmt.Sprintf("@user%d:x", k)
		state[k] = map[string]any{"type": "m.room.member", "state_key": user, "sender": user, "event_id": "$m" + user, "content": map[string]any{"membership": "join"}}
	}
	answer := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	first := answer(map[string]any{"next_batch": "s1", "rooms": map[string]any{"join": sync}, "device_one_time_keys_count": map[string]int{"signed_curve25519": 50}})
	members, rooms := answer(state), answer(map[string]any{"joined_rooms": joined})
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch p := q.URL.Path; {
		case strings.HasSuffix(p, "/register"):
			fmt.Fprint(w, `{"user_id":"@mindroom_news:x","device_id":"D","access_token":"t"}`)
		case strings.HasSuffix(p, "/joined_rooms"):
			_, _ = w.Write(rooms)
		case strings.HasSuffix(p, "/state"):
			_, _ = w.Write(members)
		case strings.HasSuffix(p, "/sync") && q.URL.Query().Get("since") == "":
			_, _ = w.Write(first)
		case strings.HasSuffix(p, "/sync"):
			<-q.Context().Done()
		default:
			fmt.Fprint(w, `{"versions":["v1.11"]}`)
		}
	}))
}

// A hundred rooms and ten thousand events on the first sync: each is journalled
// once, each room's members are known, and an account that comes back has
// nothing to do again. What it took is told, not judged. Not parallel: it looks
// at the memory of the whole process.
func TestFirstSyncOfACrowdedAccount(t *testing.T) {
	hs := crowded(t)
	defer hs.Close()
	dir := t.TempDir()
	b := openBooks(t, filepath.Join(dir, "main.db"))
	defer func() { must(t, b.db.Close()) }()
	loaded := make(chan struct{})
	var rooms atomic.Int32
	n, err := New(Config{Homeserver: hs.URL, DB: b.db, Journal: b.journal, Outbox: b.outbox, CryptoFolder: filepath.Join(dir, "crypto"),
		Changed: func(string) {
			if rooms.Add(1) == loadRooms {
				close(loaded)
			}
		}})
	must(t, err)
	defer n.Close()
	ctx := within(t, 2*time.Minute)
	a, err := n.Ensure(ctx, "news", "")
	must(t, err)

	peak, stopWatch := watchHeap()
	before := peak()
	group := lifecycle.New(t.Context())
	wake, end := b.journal.Subscribe(a.UserID)
	defer end()
	began := time.Now()
	must(t, n.Start(group, "news"))
	select {
	case <-loaded:
	case <-ctx.Done():
		t.Fatalf("%d rooms loaded", rooms.Load())
	}
	viewed := time.Since(began)
	select {
	case <-wake:
	case <-ctx.Done():
		t.Fatal("nothing was journalled")
	}
	took := time.Since(began)
	stopWatch()
	if m, ok := n.Members("!room7:x"); !ok || len(m) != 50 {
		t.Errorf("members %v %v", m, ok)
	}
	must(t, group.Stop(ctx))
	t.Logf("%d rooms, %d events: members known after %s, all journalled after %s; heap %.1f MB before, %.1f MB at most",
		loadRooms, loadRooms*loadEvents, viewed.Round(time.Millisecond), took.Round(time.Millisecond), float64(before)/1e6, float64(peak())/1e6)

	fresh, err := b.journal.New(t.Context(), a.UserID, 2*loadRooms*loadEvents)
	must(t, err)
	want, held := loadRooms*loadEvents, 0
	if a.device != nil {
		held = want / 2
	}
	live := 0
	for _, e := range fresh {
		if e.Live && e.State == chat.EventNew {
			live++
		}
	}
	if len(fresh) != want-held || live != len(fresh) {
		t.Errorf("%d new, %d of them live; want %d", len(fresh), live, want-held)
	}
}

// watchHeap samples the heap until it is stopped; peak is the most it saw.
func watchHeap() (peak func() uint64, stop func()) {
	var most atomic.Uint64
	look := func() {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most.Store(max(most.Load(), m.HeapAlloc))
	}
	runtime.GC()
	look()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				look()
			case <-done:
				return
			}
		}
	}()
	return most.Load, func() { close(done); <-ended }
}
