package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/test/await"
	"mindroom/test/heard"
)

// patience bounds every wait; it is never slept.
const patience = 60 * time.Second

// until waits for a condition that no event announces.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	await.Until(t, patience, what, ok)
}

// running is a mirror that runs until stop.
func running(t testing.TB, db *store.DB, path string) (m *Mirror, log *heard.Text, stop func()) {
	t.Helper()
	log = &heard.Text{}
	m = NewMirror(db, path, slog.New(slog.NewTextHandler(log, nil)))
	ended := make(chan error, 1)
	go func() { ended <- m.Run(context.WithoutCancel(t.Context())) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			if err := m.Stop(ctx); err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(stop)
	return m, log, stop
}

// sequences reads the files, oldest first.
func sequences(t testing.TB, path string) (all []int64) {
	t.Helper()
	for i := rotateFiles; i >= 0; i-- {
		name := path
		if i > 0 {
			name = fmt.Sprintf("%s.%d", path, i)
		}
		b, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) {
			if len(text) == 0 {
				continue
			}
			var l line
			if err := json.Unmarshal(text, &l); err != nil {
				t.Fatalf("%s: %v: %q", name, err, text)
			}
			all = append(all, l.Sequence)
		}
	}
	return all
}

// counting is what the files should have: every number from the first to the last once.
func counting(first, last int64) (all []int64) {
	for i := first; i <= last; i++ {
		all = append(all, i)
	}
	return all
}

func same(a, b []int64) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

func several(t *testing.T, db *store.DB, l Log, n int) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		for i := range n {
			e := entry(t, "script-1", fmt.Sprint(i), map[string]any{"to": "<ben>"})
			if err := l.Record(tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Records are in the file soon after they are durable, with everything the database has, for nobody else's eyes.
func TestMirrorFollows(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	path := filepath.Join(t.TempDir(), "tracking", "tool_calls.jsonl")
	m, _, _ := running(t, db, path)
	l := Log{Redactor: &secret.Redactor{}, Written: m.Wake}
	for i := range 3 {
		several(t, db, l, 2)
		until(t, "the records are in the file", func() bool { return same(sequences(t, path), counting(1, int64(2*i+2))) })
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(b), "\n")
	want := `{"seq":1,"at":"2026-03-04T05:06:07.123456Z","door":"script","owner":"script-1","call_id":"0","correlation_id":"script:script-1:0","toolkit":"mail",` +
		`"function":"send","agent":"watcher","requester":"@anna:example.org","room":"!ops:example.org","thread":"$root","arguments":"{\"to\":\"<ben>\"}",` +
		`"arguments_digest":"` + of(t, db, "script-1")[0].Digest + `","verdict":"allow","rule":"preapproved by allowed_tools at launch","decision":"","decided_by":"",` +
		`"began":true,"ran_in":"primary","state":"completed","kind":"","message":"","seconds":0.0015}`
	if first != want {
		t.Errorf("a line:\n%s\nwant\n%s", first, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Whatever a file has lost is appended at the next start, once and in order.
func TestMirrorAppendsWhatIsMissing(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, path string){
		"nothing":         func(*testing.T, string) {},
		"the file":        func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"its second half": func(t *testing.T, path string) { must(t, os.Truncate(path, size(t, path)/2)) },
		"its last byte":   func(t *testing.T, path string) { must(t, os.Truncate(path, size(t, path)-1)) },
		"everything":      func(t *testing.T, path string) { must(t, os.Truncate(path, 0)) },
		"its end, to zeros": func(t *testing.T, path string) {
			n := size(t, path)
			must(t, os.Truncate(path, n/2))
			must(t, os.Truncate(path, n))
		},
		"its end, to noise": func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			must(t, err)
			_, err = f.WriteString("{\"seq\":\n\nx\n" + strings.Repeat("y", 200_000))
			must(t, errors.Join(err, f.Close()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := storetest.Open(t, Schema)
			path := filepath.Join(t.TempDir(), "tool_calls.jsonl")
			l := Log{Redactor: &secret.Redactor{}}
			several(t, db, l, 20)
			_, _, stop := running(t, db, path)
			stop() // writes what is there
			if got := sequences(t, path); !same(got, counting(1, 20)) {
				t.Fatalf("%v", got)
			}
			spoil(t, path)
			several(t, db, l, 3)
			_, _, stop = running(t, db, path)
			stop()
			if got := sequences(t, path); !same(got, counting(1, 23)) {
				t.Errorf("%v", got)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func size(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Size()
}

// No line is lost or written twice when files are rotated, between starts too, and old files go.
func TestMirrorRotates(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	path := filepath.Join(t.TempDir(), "tool_calls.jsonl")
	l := Log{Redactor: &secret.Redactor{}}
	for round := range int64(6) {
		several(t, db, l, 7)
		m := NewMirror(db, path, slog.New(slog.DiscardHandler))
		m.file.most = 2000
		must(t, m.catchUp(t.Context()))
		must(t, m.file.close())
		got := sequences(t, path)
		last := 7 * (round + 1)
		if len(got) == 0 || !same(got, counting(got[0], last)) {
			t.Fatalf("round %d: %v", round, got)
		}
		if got[0] > 1 && len(got) < rotateFiles*2 {
			t.Errorf("round %d keeps only %v", round, got)
		}
	}
	names, err := filepath.Glob(path + "*")
	must(t, err)
	if len(names) != rotateFiles+1 {
		t.Errorf("%v", names)
	}
	for _, name := range names {
		if n := size(t, name); n > 2000 {
			t.Errorf("%s has %d bytes", name, n)
		}
	}
}

// A file that cannot be written fails no call; it is said once, and the lines come when it can be.
func TestMirrorThatCannotWrite(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	folder := filepath.Join(t.TempDir(), "tracking")
	must(t, os.WriteFile(folder, nil, 0o600)) // a file where the folder should be
	path := filepath.Join(folder, "tool_calls.jsonl")
	m, log, _ := running(t, db, path)
	l := Log{Redactor: &secret.Redactor{}, Written: m.Wake}
	several(t, db, l, 2)
	until(t, "it is said", func() bool { return strings.Contains(log.String(), "cannot be written") })
	several(t, db, l, 2)
	must(t, os.Remove(folder))
	until(t, "the lines are there", func() bool { return same(sequences(t, path), counting(1, 4)) })
	until(t, "it is said that it works", func() bool { return strings.Contains(log.String(), "is written again") })
	if n := strings.Count(log.String(), "cannot be written"); n != 1 {
		t.Errorf("it was said %d times", n)
	}
}

// A full disk leaves no half line behind, and the next try begins where the last whole line ended.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tool_calls.jsonl")
	r := &rotated{path: path, most: rotateBytes, keep: rotateFiles}
	must(t, r.open())
	must(t, r.append([]byte("{\"seq\":1}\n"), 1))
	must(t, r.flush())
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	must(t, err)
	real := r.f
	r.f = full
	must(t, r.append([]byte("{\"seq\":2}\n"), 2))
	if err := r.flush(); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%v", err)
	}
	must(t, real.Close())
	if r.sequence != 1 {
		t.Errorf("after the failure it counts %d as written", r.sequence)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(`{"seq":2`) // what a short write leaves
	must(t, errors.Join(err, f.Close()))
	must(t, r.open())
	must(t, r.append([]byte("{\"seq\":2}\n"), 2))
	must(t, r.flush())
	must(t, r.close())
	if got := sequences(t, path); !same(got, counting(1, 2)) {
		t.Errorf("%v", got)
	}
}

// A file that somebody moved away or emptied while it is written is made anew, and nothing is written twice for it.
func TestMovedUnderTheMirror(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, Schema)
	path := filepath.Join(t.TempDir(), "tool_calls.jsonl")
	m := NewMirror(db, path, slog.New(slog.DiscardHandler))
	l := Log{Redactor: &secret.Redactor{}}
	several(t, db, l, 3)
	must(t, m.catchUp(t.Context()))
	must(t, os.Rename(path, path+".away"))
	several(t, db, l, 3)
	must(t, m.catchUp(t.Context()))
	if got := sequences(t, path); !same(got, counting(4, 6)) {
		t.Errorf("after the move: %v", got)
	}
	must(t, os.Truncate(path, 0))
	several(t, db, l, 3)
	must(t, m.catchUp(t.Context()))
	must(t, m.file.close())
	if got := sequences(t, path); !same(got, counting(7, 9)) {
		t.Errorf("after it was emptied: %v", got)
	}
}

// A database that was put back from an older copy gives numbers again; their records are in the file all the same.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tool_calls.jsonl")
	must(t, os.WriteFile(path, []byte("{\"seq\":100}\n"), 0o600))
	db := storetest.Open(t, Schema)
	l := Log{Redactor: &secret.Redactor{}}
	several(t, db, l, 3)
	m := NewMirror(db, path, slog.New(slog.DiscardHandler))
	must(t, m.catchUp(t.Context()))
	several(t, db, l, 2)
	must(t, m.catchUp(t.Context()))
	must(t, m.file.close())
	if got := sequences(t, path); !same(got, []int64{100, 4, 5}) {
		t.Errorf("%v", got)
	}
}
