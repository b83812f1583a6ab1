package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestAMemoryFromItsBeginningToItsEnd(t *testing.T) {
	t.Parallel()
	dir := workspace(t, map[string]string{Entrypoint: "# Notes\nprose stays"})
	k := keeper()
	e, err := k.Add(dir, "Ann likes\ntea.")
	must(t, err)
	if !regexp.MustCompile(`^m_20260301120000_[0-9a-f]{8}$`).MatchString(e.ID) {
		t.Errorf("the id is %s", e.ID)
	}
	if got, want := content(t, dir, Entrypoint), "# Notes\nprose stays\n- [id="+e.ID+"] Ann likes tea.\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	second, err := k.Add(dir, "Ben likes coffee.")
	must(t, err)
	_, err = k.Update(dir, e.ID, "["+"id="+e.ID+"] Ann likes milk.")
	must(t, err)
	_, err = k.Delete(dir, e.ID)
	must(t, err)
	if got, err := k.Get(dir, second.ID); err != nil || got.Text != "Ben likes coffee." || got.Line != 3 {
		t.Errorf("the other one is %+v, %v", got, err)
	}
	if got := content(t, dir, Entrypoint); got != "# Notes\nprose stays\n- [id="+second.ID+"] Ben likes coffee.\n" {
		t.Errorf("what stays is %q", got)
	}
	for _, id := range []string{e.ID, "file:MEMORY.md:2", "file:../secret.md:1", "file:memory/../../secret.md:1", ""} {
		for what, err := range map[string]error{"get": second1(k.Get(dir, id)), "delete": second1(k.Delete(dir, id)), "update": second1(k.Update(dir, id, "x"))} {
			var known *Error
			if !errors.As(err, &known) || known.Kind != Missing {
				t.Errorf("%s %q: %v", what, id, err)
			}
		}
	}
	if got := content(t, dir, "../secret.md"); got != "- outside" {
		t.Errorf("outside: %q", got)
	}
}

func second1(_ Entry, err error) error { return err }

// Lines without an id keep theirs when others go (sentence 4).
func TestLinesOfDays(t *testing.T) {
	t.Parallel()
	dir := workspace(t, map[string]string{
		"memory/2026-02-01.md": "# Day\n- one\ntwo\n- three\n", "memory/2026-02-02.md": "newer", "memory/deep/x.md": "deep", "memory/no.txt": "no", "memory/.h.md": "hidden",
	})
	k := keeper()
	_, err := k.Delete(dir, "file:memory/2026-02-01.md:2")
	must(t, err)
	_, err = k.Update(dir, "file:memory/2026-02-01.md:4", "# changed")
	must(t, err)
	all, err := k.All(dir)
	must(t, err)
	var got []string
	for _, e := range all.Entries {
		got = append(got, e.ID+" "+e.Text)
	}
	want := "file:memory/deep/x.md:1 deep|file:memory/2026-02-02.md:1 newer|file:memory/2026-02-01.md:3 two|file:memory/2026-02-01.md:4 # changed"
	if strings.Join(got, "|") != want || all.Left != nil {
		t.Errorf("%q, left %q", got, all.Left)
	}
}

// When the prompt would not hold all of MEMORY.md the day's file is next.
func TestAFullEntrypoint(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"lines": strings.Repeat("x\n", BriefLines), "bytes": strings.Repeat("x", BriefBytes-10)} {
		dir := workspace(t, map[string]string{Entrypoint: text})
		e, err := keeper().Add(dir, "late")
		if err != nil || e.File != "memory/2026-03-01.md" || content(t, dir, e.File) != "- [id="+e.ID+"] late\n" || content(t, dir, Entrypoint) != text {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
	dir := workspace(t, map[string]string{Entrypoint: strings.Repeat("x\n", BriefLines), "memory/2026-03-01.md": strings.Repeat("x", maxFile-5)})
	if _, err := keeper().Add(dir, "too late"); kind(err) != Large {
		t.Errorf("a full day: %v", err)
	}
}

func kind(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// Links are neither read nor written, wherever they lead (sentence 1).
func TestLinksAreRefused(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"../secret.md", "inside.md", "nowhere"} {
		dir := workspace(t, map[string]string{"inside.md": "- inside", "memory/good.md": "good"})
		must(t, os.Symlink(target, filepath.Join(dir, Entrypoint)))
		must(t, os.Symlink(filepath.Join("..", target), filepath.Join(dir, Folder, "link.md")))
		if _, err := keeper().Add(dir, "x"); kind(err) != Refused {
			t.Errorf("%s: added: %v", target, err)
		}
		all, err := keeper().All(dir)
		if err != nil || len(all.Entries) != 1 || all.Entries[0].Text != "good" || len(all.Left) != 2 {
			t.Errorf("%s: %+v, %v", target, all, err)
		}
		if b, err := ReadBrief(dir); kind(err) != Refused || b.Text != "" {
			t.Errorf("%s: the prompt holds %+v, %v", target, b, err)
		}
		if content(t, dir, "../secret.md") != "- outside" || content(t, dir, "inside.md") != "- inside" {
			t.Errorf("%s: a target was written", target)
		}
	}
	outside := t.TempDir()
	put(t, outside, "a.md", "outside")
	dir := workspace(t, map[string]string{Entrypoint: strings.Repeat("x\n", BriefLines)})
	must(t, os.Symlink(outside, filepath.Join(dir, Folder)))
	all, err := keeper().All(dir)
	if err != nil || len(all.Entries) != 0 || len(all.Left) != 1 {
		t.Errorf("a linked folder: %+v, %v", all, err)
	}
	if _, err := keeper().Add(dir, "x"); err == nil {
		t.Error("a linked folder was written into")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside is %v, %v", entries, err)
	}
}

func TestOddFilesHideNoOther(t *testing.T) {
	t.Parallel()
	dir := workspace(t, map[string]string{"memory/a.md": "good", "memory/b.md": "\x00", "memory/c.md": "\xff", "memory/d.md": strings.Repeat("x", maxFile+1)})
	must(t, syscall.Mkfifo(filepath.Join(dir, "memory", "e.md"), 0o600))
	all, err := keeper().All(dir)
	if err != nil || len(all.Entries) != 1 || len(all.Left) != 4 {
		t.Errorf("%d entries, left %q, %v", len(all.Entries), all.Left, err)
	}
}

// fullDisk is a file whose disk is full after some bytes, or when it is flushed.
type fullDisk struct {
	spooled
	room int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	if len(p) > f.room {
		n, err := f.spooled.Write(p[:f.room])
		return n, errors.Join(err, &fs.PathError{Op: "write", Path: "/w/x", Err: syscall.ENOSPC})
	}
	return f.spooled.Write(p)
}

func (f *fullDisk) Sync() error { return &fs.PathError{Op: "sync", Path: "/w/x", Err: syscall.ENOSPC} }

// On a full disk the old file stays, and nothing is left beside it (sentence 2).
func TestAFullDiskLeavesTheOldFile(t *testing.T) {
	t.Parallel()
	dir := workspace(t, nil)
	k := keeper()
	e, err := k.Add(dir, "first")
	must(t, err)
	before := content(t, dir, Entrypoint)
	for _, room := range []int{0, 10, 10_000} { // the last: all is written and cannot be flushed
		k.create = func(root *os.Root, name string) (spooled, error) {
			f, err := create(root, name)
			return &fullDisk{f, room}, err
		}
		for what, err := range map[string]error{"add": second1(k.Add(dir, "second")), "update": second1(k.Update(dir, e.ID, "other")), "delete": second1(k.Delete(dir, e.ID))} {
			if kind(err) != Full || strings.Contains(err.Error(), "/w/") || !strings.Contains(err.Error(), Entrypoint) {
				t.Errorf("%s with room for %d: %v", what, room, err)
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || content(t, dir, Entrypoint) != before {
			t.Errorf("room for %d: %v, %v, %q", room, entries, err, content(t, dir, Entrypoint))
		}
	}
}

// Changes at once lose nothing (sentence 3).
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	dir := workspace(t, nil)
	k := keeper()
	old, err := k.Add(dir, "old")
	must(t, err)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, err := k.Add(dir, "new"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Go(func() {
		if _, err := k.Update(dir, old.ID, "changed"); err != nil {
			t.Error(err)
		}
	})
	all.Wait()
	got, err := k.All(dir)
	must(t, err)
	ids := map[string]bool{}
	for _, e := range got.Entries {
		ids[e.ID] = true
	}
	if e, err := k.Get(dir, old.ID); len(ids) != 21 || err != nil || e.Text != "changed" {
		t.Errorf("%d memories, %+v, %v", len(ids), e, err)
	}
}
