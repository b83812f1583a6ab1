//go:build goolm

package matrix

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/person"
)

// The device is signed by its own account, and stays so over a restart.
func TestDeviceIsSigned(t *testing.T) {
	t.Parallel()
	r, ctx, ann, _ := secretRoom(t, nil)
	signed := func() (device string) {
		t.Helper()
		a := r.net.Account("news")
		keys, err := a.api().QueryKeys(ctx, &mautrix.ReqQueryKeys{DeviceKeys: mautrix.DeviceKeysRequest{a.id(): {}}})
		must(t, err)
		self := keys.SelfSigningKeys[a.id()]
		own := keys.DeviceKeys[a.id()][id.DeviceID(a.DeviceID)]
		if self.FirstKey() == "" || own.Signatures[a.id()][id.NewKeyID(id.KeyAlgorithmEd25519, self.FirstKey().String())] == "" {
			t.Fatalf("device %+v is not signed by %v", own, self)
		}
		return self.FirstKey().String()
	}
	before := signed()
	row, err := r.net.rows.load(ctx, "news")
	must(t, err)
	if row.Recovery.IsZero() || row.CryptoKey.IsZero() {
		t.Fatal("no recovery key or no store key is kept")
	}
	r.stop()
	r.start()
	from := len(r.proxy.Exchanges(nil))
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	if signed() != before {
		t.Error("the restart made another identity")
	}
	for _, x := range r.proxy.Exchanges(nil)[from:] {
		if x.Method == http.MethodPost && (strings.HasSuffix(x.Path, "/device_signing/upload") || strings.HasSuffix(x.Path, "/signatures/upload")) {
			t.Errorf("the restart did %s", x.Path)
		}
	}
}

// same identity, and the room goes on.
func TestLostStoreIsANewDevice(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := secretRoom(t, nil)
	_, err := ann.Send(ctx, room, "first")
	must(t, err)
	r.hears(ctx, "news", "first")
	device := r.net.Account("news").DeviceID
	folder := filepath.Join(filepath.Dir(r.path), "crypto")
	keepings := func() []Keeping {
		t.Helper()
		kept, err := Keepings(ctx, r.db, folder)
		must(t, err)
		return kept
	}
	if kept := keepings(); len(kept) != 2 || kept[0].Missing || kept[0].Exposed || !kept[0].Recovery || kept[0].Account != "news" || kept[0].Device != device {
		t.Errorf("before: %+v", kept)
	}
	r.stop()
	must(t, os.RemoveAll(folder))
	r.start()
	if kept := keepings(); len(kept) != 2 || !kept[0].Missing || !kept[1].Missing {
		t.Errorf("without the folder: %+v", kept)
	}
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	if r.net.Account("news").DeviceID == device {
		t.Fatal("the device is the same although its keys are lost")
	}
	r.say("news", text("two", room, "here again"))
	if got := r.shown(ctx, ann, room, "two"); !slices.Contains(got, "here again") {
		t.Errorf("Ann reads %q", got)
	}
	_, err = ann.Send(ctx, room, "good")
	must(t, err)
	r.hears(ctx, "news", "good")
}

// without an identity is given none.
func TestPersonSignsWithTheRecoveryKey(t *testing.T) {
	t.Parallel()
	r, ctx, ann, _ := secretRoom(t, nil)
	row, err := r.net.rows.load(ctx, "news")
	must(t, err)
	c, err := person.LoginLasting(ctx, r.hs.URL, row.LocalPart, row.Password.Reveal(), t.TempDir())
	must(t, err)
	defer c.Close()
	must(t, c.Sign(ctx, row.Recovery))
	a := r.net.Account("news")
	keys, err := a.api().QueryKeys(ctx, &mautrix.ReqQueryKeys{DeviceKeys: mautrix.DeviceKeysRequest{a.id(): {}}})
	must(t, err)
	if n := len(keys.DeviceKeys[a.id()]); n != 2 {
		t.Fatalf("%d devices", n)
	}
	self := keys.SelfSigningKeys[a.id()]
	for device, own := range keys.DeviceKeys[a.id()] {
		if own.Signatures[a.id()][id.NewKeyID(id.KeyAlgorithmEd25519, self.FirstKey().String())] == "" {
			t.Errorf("device %s is not signed", device)
		}
	}
	if err := ann.Sign(ctx, row.Recovery); err == nil || !strings.Contains(err.Error(), "no identity") {
		t.Errorf("an account without an identity: %v", err)
	}
}
