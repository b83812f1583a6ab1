//go:build linux

package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/supervise/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func made(t *testing.T) Dir {
	t.Helper()
	d := Dir(filepath.Join(t.TempDir(), "run"))
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFolderIsPrivate(t *testing.T) {
	t.Parallel()
	d := made(t)
	if fi, err := os.Stat(string(d)); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if err := d.Make(); err != nil {
		t.Errorf("an existing private folder: %v", err)
	}
	if err := os.Chmod(string(d), 0o750); err != nil {
		t.Fatal(err)
	}
	if d.Make() == nil {
		t.Error("a folder that others may enter was taken")
	}
}

func TestLock(t *testing.T) {
	t.Parallel()
	d := made(t)
	if _, err := d.Lock(false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no lock yet: %v", err)
	}
	f, err := d.Lock(true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lock(false); !errors.Is(err, ErrLocked) {
		t.Errorf("held: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f, err = d.Lock(false)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestRecordAndIdentity(t *testing.T) {
	t.Parallel()
	d := made(t)
	if _, err := d.ReadRecord(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no record yet: %v", err)
	}
	if _, err := d.ReadIdentity(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no identity yet: %v", err)
	}
	want := wire.Record{Protocol: wire.Protocol, Cause: wire.CauseExited, StartedAt: wire.Now(), Tail: "a\x00€\n"}
	if err := d.WriteRecord(want); err != nil {
		t.Fatal(err)
	}
	if got, err := d.ReadRecord(); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if fi, err := os.Stat(d.path(recordName)); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	want.Protocol++
	if err := d.WriteRecord(want); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ReadRecord(); err == nil {
		t.Error("a record of another protocol was read")
	}
	if e, _ := filepath.Glob(string(d) + "/*.tmp"); len(e) > 0 {
		t.Errorf("left behind: %v", e)
	}
}

func TestOutputIsMadeOnce(t *testing.T) {
	t.Parallel()
	d := made(t)
	f, err := d.NewOutput()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := d.NewOutput(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("again: %v", err)
	}
}
