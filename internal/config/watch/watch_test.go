package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/lifecycle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scene is a folder that is watched for config.yaml and the entries of agents.
type scene struct {
	t     *testing.T
	dir   string
	seen  chan string // what config.yaml and agents held at each look
	again chan bool
}

func newScene(t *testing.T, o Options) *scene {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, dir: dir, seen: make(chan string, 1000), again: make(chan bool, 1)}
	o.Base = dir
	o.Paths = func() (files, folders []string) { return []string{s.at("config.yaml")}, []string{s.at("agents")} }
	o.Changed = func(context.Context, bool) bool {
		s.seen <- s.content()
		select {
		case v := <-s.again:
			return v
		default:
			return false
		}
	}
	if o.Poll == 0 {
		o.Poll = time.Hour
	}
	if o.Quiet == 0 {
		o.Quiet = 20 * time.Millisecond
	}
	return s.run(o)
}

func (s *scene) run(o Options) *scene {
	g := lifecycle.New(context.Background())
	g.Go("watch", func(ctx context.Context) error { return Run(ctx, o) })
	s.t.Cleanup(func() {
		if err := g.Stop(context.Background()); err != nil {
			s.t.Error(err)
		}
	})
	s.awaits("")
	return s
}

func (s *scene) at(name string) string { return filepath.Join(s.dir, name) }

func (s *scene) content() string {
	raw, _ := os.ReadFile(s.at("config.yaml"))
	entries, _ := os.ReadDir(s.at("agents"))
	all := string(raw)
	for _, e := range entries {
		more, _ := os.ReadFile(filepath.Join(s.at("agents"), e.Name()))
		all += "|" + e.Name() + "=" + string(more)
	}
	return all
}

// awaits waits until a look saw the content.
func (s *scene) awaits(want string) {
	s.t.Helper()
	var last string
	for timeout := time.After(30 * time.Second); ; {
		select {
		case last = <-s.seen:
			if last == want {
				return
			}
		case <-timeout:
			s.t.Fatalf("nobody was told of %q; last seen %q", want, last)
		}
	}
}

func (s *scene) do(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) write(name, text string) {
	s.t.Helper()
	s.do(os.MkdirAll(filepath.Dir(s.at(name)), 0o700))
	s.do(os.WriteFile(s.at(name), []byte(text), 0o600))
}

// Sentences 1 and 3: each way in which people and programs replace files.
func TestEveryWayToChange(t *testing.T) {
	t.Parallel()
	s := newScene(t, Options{})
	s.write("config.yaml", "one")
	s.awaits("one")
	s.write("config.yaml", "two") // in place
	s.awaits("two")
	s.write(".config.swp", "three") // an editor's way
	s.do(os.Rename(s.at(".config.swp"), s.at("config.yaml")))
	s.awaits("three")
	s.do(os.Rename(s.at("config.yaml"), s.at("config.yaml~"))) // the other editor's way
	s.write("config.yaml", "four")
	s.awaits("four")
	s.do(os.Remove(s.at("config.yaml")))
	s.awaits("")
	s.write("config.yaml", "five")
	s.awaits("five")
	s.write("agents/a.yaml", "A") // a folder that was not there
	s.awaits("five|a.yaml=A")
	s.write("agents/a.yaml", "B")
	s.awaits("five|a.yaml=B")
	s.write("next/c.yaml", "C") // the whole folder replaced
	s.do(os.Rename(s.at("agents"), s.at("before")))
	s.do(os.Rename(s.at("next"), s.at("agents")))
	s.awaits("five|c.yaml=C")
	s.write("agents/c.yaml", "D")
	s.awaits("five|c.yaml=D")
}

// Sentence 1: a ConfigMap is a link to a file behind a link to a folder, and the inner link is what changes.
func TestConfigMap(t *testing.T) {
	t.Parallel()
	s := newScene(t, Options{})
	s.write("..1/config.yaml", "one")
	s.do(os.Symlink("..1", s.at("..data")))
	s.do(os.Symlink("..data/config.yaml", s.at("config.yaml")))
	s.awaits("one")
	for i := 2; i < 5; i++ {
		s.write(fmt.Sprintf("..%d/config.yaml", i), fmt.Sprint(i))
		s.do(os.Symlink(fmt.Sprintf("..%d", i), s.at("..tmp")))
		s.do(os.Rename(s.at("..tmp"), s.at("..data")))
		s.do(os.RemoveAll(s.at(fmt.Sprintf("..%d", i-1))))
		s.awaits(fmt.Sprint(i))
	}
}

// Sentence 2: a busy neighbour wakes nobody; sentence 4: and a busy file is told of all the same.
func TestNoise(t *testing.T) {
	t.Parallel()
	s := newScene(t, Options{Quiet: 30 * time.Millisecond})
	s.write("config.yaml", "one")
	s.awaits("one")
	for len(s.seen) > 0 {
		<-s.seen
	}
	for i := range 50 {
		s.write("mindroom.log", fmt.Sprint(i))
	}
	s.write("config.yaml", "two")
	s.awaits("two")
	stop, wrote := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(wrote)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				_ = os.WriteFile(s.at("config.yaml"), []byte("busy"), 0o600)
			}
		}
	}()
	s.awaits("busy")
	close(stop)
	<-wrote
}

// What an event lost is found by a look, and whoever asks is called again without any event. A signal has it looked at once.
func TestPollAndAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, Options{Poll: 20 * time.Millisecond, Quiet: time.Hour})
	s.write("config.yaml", "one")
	s.awaits("one")

	hup := make(chan os.Signal, 1)
	deaf := newScene(t, Options{Quiet: time.Hour, Asked: hup})
	deaf.write("config.yaml", "one")
	hup <- os.Interrupt
	deaf.awaits("one")

	asked := newScene(t, Options{})
	asked.again <- true
	asked.write("config.yaml", "one")
	asked.awaits("one")
	asked.awaits("one")
}

func TestTrail(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(dir, names[i])
		}
		return names
	}
	for link, target := range map[string]string{"loop": "loop", "abs": filepath.Join(dir, "sub", "file"), "up": "sub/../other"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string][]string{
		"file":     at("file"),
		"sub/file": at("sub", "sub/file"),
		"abs":      at("abs", "sub", "sub/file"),
		"up":       at("up", "other"),
	} {
		if got := trail(dir, filepath.Join(dir, path)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
	if got := trail(dir, filepath.Join(dir, "loop")); len(got) == 0 || len(got) > maxLinks+2 {
		t.Errorf("a loop has a trail of %d names", len(got))
	}
}
