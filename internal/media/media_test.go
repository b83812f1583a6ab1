package media_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const png = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

// shelf is a store with a clock that the test turns.
type shelf struct {
	*media.Store
	t      *testing.T
	ahead  atomic.Int64
	folder string
}

func (s *shelf) later(d time.Duration) { s.ahead.Add(int64(d)) }

func newShelf(t *testing.T, max int64) *shelf {
	t.Helper()
	s := &shelf{t: t, folder: filepath.Join(t.TempDir(), "media")}
	s.open(storetest.Open(t, media.Schema), max)
	return s
}

func (s *shelf) open(db *store.DB, max int64) {
	s.t.Helper()
	var err error
	wall := func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }
	if s.Store, err = media.Open(media.Options{Folder: s.folder, DB: db, Wall: wall, Max: max}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) put(text string) media.Ref {
	s.t.Helper()
	ref, err := s.Put(s.t.Context(), strings.NewReader(text), "", "a.txt")
	if err != nil {
		s.t.Fatal(err)
	}
	return ref
}

func (s *shelf) own(ref media.Ref, o media.Owner) {
	s.t.Helper()
	if err := s.DB.Write(s.t.Context(), func(tx *store.Tx) error { return s.Own(tx, o, ref) }); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shelf) prune(holders ...media.Holder) int {
	s.t.Helper()
	n, err := s.Prune(s.t.Context(), s.Wall.Now(), 24*time.Hour, holders...)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

// files are the bytes on the disk, half-written ones included.
func (s *shelf) files() (names []string) {
	s.t.Helper()
	err := filepath.WalkDir(s.folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return names
}

func event(id string) media.Owner {
	return media.Owner{Kind: media.OwnedByEvent, ID: id, Room: "!room", Requester: "@anna:example.org"}
}

// Invariants 1, 2 and 6.
func TestPutAndLoad(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 0)
	ref, err := s.Put(t.Context(), strings.NewReader(png), "text/plain", "../../holiday.png")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(png))
	want := media.Ref{Digest: hex.EncodeToString(sum[:]), MIME: "image/png", Name: "holiday.png", Size: int64(len(png))}
	if ref != want || !ref.Picture() || ref.Kind() != media.Image {
		t.Errorf("Put = %+v, want %+v", ref, want)
	}
	if again, err := s.Put(t.Context(), strings.NewReader(png), "", ""); err != nil || again.Digest != ref.Digest || len(s.files()) != 1 {
		t.Errorf("the same bytes again: %+v, %v, files %v", again, err, s.files())
	}
	if raw, err := s.Load(t.Context(), ref); err != nil || string(raw) != png {
		t.Errorf("Load = %q, %v", raw, err)
	}
	path := filepath.Join(s.folder, ref.Digest[:2], ref.Digest)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if raw, err := s.Load(t.Context(), ref); media.KindOf(err) != media.Damaged || raw != nil {
		t.Errorf("damaged bytes: %q, %v", raw, err)
	}
	if _, err := s.Put(t.Context(), strings.NewReader(png), "", ""); err != nil {
		t.Fatal(err)
	}
	if raw, err := s.Load(t.Context(), ref); err != nil || string(raw) != png {
		t.Errorf("putting again does not heal: %q, %v", raw, err)
	}
	for _, digest := range []string{"", "../../etc/passwd", strings.Repeat("0", 64)} {
		if _, err := s.Load(t.Context(), media.Ref{Digest: digest}); media.KindOf(err) != media.Gone {
			t.Errorf("digest %q: %v", digest, err)
		}
	}
}

// Invariant 4: what is too large, breaks off or is given up leaves nothing.
func TestPutLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 100)
	if _, err := s.Put(t.Context(), strings.NewReader(strings.Repeat("x", 100)), "", "fits"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Put(t.Context(), strings.NewReader(strings.Repeat("x", 101)), "", "big")
	if media.KindOf(err) != media.TooLarge {
		t.Errorf("too large: %v", err)
	}
	cut := errors.New("the line was cut")
	if _, err = s.Put(t.Context(), iotest.ErrReader(cut), "", "cut"); !errors.Is(err, cut) || media.KindOf(err) != "" {
		t.Errorf("cut: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = s.Put(ctx, strings.NewReader("x"), "", "given up"); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	if files := s.files(); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
}

// Invariant 3: one set of bytes, several owners, each with its age.
func TestPrune(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 0)
	shared, lone := s.put("shared"), s.put("lone")
	s.own(shared, event("$1"))
	s.later(2 * time.Minute)
	if n := s.prune(); n != 0 || len(s.files()) != 2 {
		t.Fatalf("%d files went although nothing is old", n)
	}
	s.later(2 * time.Hour)
	if n := s.prune(); n != 1 || s.gone(shared) || !s.gone(lone) {
		t.Errorf("%d files went; what nobody owns goes after an hour", n)
	}
	s.later(20 * time.Hour)
	s.own(shared, event("$2"))
	s.later(3 * time.Hour)
	if n := s.prune(); n != 0 || s.gone(shared) || s.found("$1") || !s.found("$2") {
		t.Errorf("%d files went: the second owner still has it", n)
	}
	s.later(30 * time.Hour)
	held := func(q store.Queryer) ([]string, error) { return []string{shared.Digest}, nil }
	if n := s.prune(held); n != 0 || s.gone(shared) || !s.found("$2") {
		t.Errorf("%d files went although one is held", n)
	}
	broken := errors.New("cannot tell")
	if _, err := s.Prune(t.Context(), s.Wall.Now(), time.Hour, func(store.Queryer) ([]string, error) { return nil, broken }); !errors.Is(err, broken) || s.gone(shared) {
		t.Errorf("a holder that cannot tell: %v", err)
	}
	if n := s.prune(); n != 1 || len(s.files()) != 0 || s.found("$2") {
		t.Errorf("%d files went with the last owner, left %v", n, s.files())
	}
}

func (s *shelf) gone(ref media.Ref) bool {
	_, err := s.Load(s.t.Context(), ref)
	return media.KindOf(err) == media.Gone
}

func (s *shelf) found(id string) (found bool) {
	err := s.DB.Read(s.t.Context(), func(r *store.Reader) (err error) {
		_, found, err = media.Owned(r, event(id))
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// Invariant 1: a process that dies between the file and its row leaves a file
// that goes, and one that dies before leaves half a file that the next start
// removes.
func TestCrashBetweenFileAndRow(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 0)
	s.DB.SetFault(func(p store.Point) error {
		if p == store.BeforeCommit {
			return errors.New("the process died")
		}
		return nil
	})
	if _, err := s.Put(t.Context(), strings.NewReader("written, no row"), "", ""); err == nil {
		t.Fatal("put although its row was not written")
	}
	s.DB.SetFault(nil)
	if len(s.files()) != 1 {
		t.Fatalf("files %v", s.files())
	}
	if err := os.WriteFile(filepath.Join(s.folder, "123.part"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.open(s.DB, 0)
	if files := s.files(); len(files) != 1 || strings.HasSuffix(files[0], ".part") {
		t.Errorf("after the start: %v", files)
	}
	if n := s.prune(); n != 0 {
		t.Errorf("%d young files went", n)
	}
	s.later(2 * time.Hour)
	if n := s.prune(); n != 1 || len(s.files()) != 0 {
		t.Errorf("%d strays went, left %v", n, s.files())
	}
}

// Invariant 5.
func TestVisible(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 0)
	ref := s.put("seen")
	root := event("$root")
	inThread := media.Owner{Kind: media.OwnedByCall, ID: "turn:t:1", Room: "!room", Thread: "$root"}
	s.own(ref, root)
	s.own(ref, inThread)
	for _, c := range []struct {
		owner        media.Owner
		room, thread string
		want         bool
	}{
		{root, "!room", "", true}, {root, "!room", "$root", true}, {root, "!room", "$other", false}, {root, "!other", "", false},
		{inThread, "!room", "$root", true}, {inThread, "!room", "", false}, {inThread, "!other", "$root", false},
		{event("$none"), "!room", "", false},
	} {
		var got media.Attachment
		var ok bool
		err := s.DB.Read(t.Context(), func(r *store.Reader) (err error) {
			got, ok, err = media.Visible(r, c.room, c.thread, c.owner.AttachmentID())
			return err
		})
		if err != nil || ok != c.want || ok && got.Ref != ref {
			t.Errorf("%s in %s %s: %v %+v, %v", c.owner.ID, c.room, c.thread, ok, got, err)
		}
	}
}

// The first file of an owner stays, and so does the word that there is none.
func TestFirstWins(t *testing.T) {
	t.Parallel()
	s := newShelf(t, 0)
	first, second := s.put("first"), s.put("second")
	s.own(first, event("$1"))
	s.own(second, event("$1"))
	err := s.DB.Write(t.Context(), func(tx *store.Tx) error {
		if err := s.Refuse(tx, event("$2"), media.Ref{Name: "lost.png"}, "it is not there any more"); err != nil {
			return err
		}
		return s.Own(tx, event("$2"), second)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.Read(t.Context(), func(r *store.Reader) error {
		a, _, err := media.Owned(r, event("$1"))
		b, _, err2 := media.Owned(r, event("$2"))
		if a.Ref != first || !b.Ref.Zero() || b.Problem == "" || b.Ref.Name != "lost.png" {
			t.Errorf("%+v, %+v", a, b)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.DB.Write(t.Context(), func(tx *store.Tx) error {
		return s.Own(tx, event("$3"), media.Ref{Digest: strings.Repeat("a", 64)})
	})
	if err == nil {
		t.Error("a file that was never put has an owner")
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ head, claimed, name, want string }{
		{png, "", "", "image/png"},
		{png, "application/pdf", "a.pdf", "image/png"},
		{"GIF89a....", "image/png", "", "image/gif"},
		{"no picture at all", "image/png", "a.png", "application/octet-stream"},
		{"no picture at all", "", "a.png", "application/octet-stream"},
		{"# Title", "", "a.md", "text/markdown"},
		{"# Title", "text/markdown; charset=utf-8", "", "text/markdown"},
		{"plain", "", "", "text/plain"},
		{"plain", "not a type", "", "text/plain"},
		{"", "", "", "text/plain"},
		{"OggS\x00", "audio/ogg", "", "audio/ogg"},
	} {
		if got := media.TypeOf([]byte(c.head), c.claimed, c.name); got != c.want {
			t.Errorf("TypeOf(%q, %q, %q) = %s, want %s", c.head, c.claimed, c.name, got, c.want)
		}
	}
}

func FuzzCleanName(f *testing.F) {
	for _, s := range []string{"a.png", "../../etc/passwd", `C:\x\y.txt`, "a\nb", "\u202egnp.exe", strings.Repeat("é", 300) + ".jpeg", strings.Repeat("a", 199) + " " + strings.Repeat("b", 30), "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := media.CleanName(s)
		if len(got) > 200 || strings.ContainsAny(got, "/\\\n\r\x00\u202e") || bytes.ContainsRune([]byte(got), 0x2028) || media.CleanName(got) != got {
			t.Fatalf("%q became %q", s, got)
		}
	})
}
