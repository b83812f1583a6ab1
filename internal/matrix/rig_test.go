package matrix

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/test/faultproxy"
	"mindroom/test/homeserver"
)

// rig is a network on the real homeserver, behind a proxy that can fail, with
// a database that survives a restart.
type rig struct {
	t     *testing.T
	hs    *homeserver.Server
	proxy *faultproxy.Proxy
	path  string
	ns    string
	tweak func(*Config)

	*life
}

// life is what a process has and loses.
type life struct {
	books
	net   *Network
	group *lifecycle.Group
}

func newRig(t *testing.T, tweak func(*Config)) *rig {
	t.Helper()
	hs := homeserver.Shared(t)
	proxy, err := faultproxy.Start(hs.URL)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, hs: hs, proxy: proxy, path: filepath.Join(t.TempDir(), "main.db"), ns: homeserver.Suffix(), tweak: tweak}
	t.Cleanup(func() { r.stop(); proxy.Close() })
	r.start()
	return r
}

// start opens the database and makes the network, as a new process does.
func (r *rig) start() {
	r.t.Helper()
	b := openBooks(r.t, r.path)
	cfg := Config{
		Homeserver: r.proxy.URL, Namespace: r.ns, DB: b.db, Journal: b.journal, Outbox: b.outbox,
		CryptoFolder: filepath.Join(filepath.Dir(r.path), "crypto"),
		Log:          slog.New(slog.NewTextHandler(testLog{r.t}, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if r.tweak != nil {
		r.tweak(&cfg)
	}
	net, err := New(cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.life = &life{books: b, net: net, group: lifecycle.New(context.Background())}
}

// stop ends everything that start began; the files stay.
func (r *rig) stop() {
	if r.life == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := r.group.Stop(ctx); err != nil {
		r.t.Errorf("stop: %v", err)
	}
	r.net.Close()
	if err := r.db.Close(); err != nil {
		r.t.Errorf("close: %v", err)
	}
	r.life = nil
}

// run makes accounts ready, their rooms, and starts them.
func (r *rig) run(ctx context.Context, plans []RoomPlan, keys ...string) map[string]string {
	r.t.Helper()
	for _, key := range keys {
		if _, err := r.net.Ensure(ctx, key, "The "+key); err != nil {
			r.t.Fatal(err)
		}
	}
	rooms, _, err := r.net.EnsureRooms(ctx, plans)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, key := range keys {
		if err := r.net.Start(r.group, key); err != nil {
			r.t.Fatal(err)
		}
	}
	return rooms
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	l.t.Log(string(b[:len(b)-1]))
	return len(b), nil
}
