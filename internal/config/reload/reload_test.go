package reload

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/config"
	"mindroom/internal/lifecycle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// noTools is a catalog without toolkits.
type noTools struct{}

func (noTools) Names() []string                      { return nil }
func (noTools) Fields(string) ([]config.Field, bool) { return nil, false }

const start = `models: {default: {provider: scripted, id: demo}}
agents: !include_dir_named agents
authorization: {default_room_access: true}
`

const watcher = "display_name: Watcher\nrooms: [operations]\n"

// scene is a configuration on disk and who follows it. It is no participant
// of its own: objections are what it answers to a reload.
type scene struct {
	t         *testing.T
	dir       string
	holder    *config.Holder
	log       bytes.Buffer
	objection error
	*Reloader
}

func (s *scene) Prepare(_, _ *config.Snapshot) error { return s.objection }
func (*scene) Commit(_, _ *config.Snapshot)          {}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, dir: t.TempDir()}
	s.write("config.yaml", start)
	s.write("agents/watcher.yaml", watcher)
	env, err := config.ReadEnv(s.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.dir, "config.yaml")
	cfg, _, err := config.Load(path, noTools{}, env)
	if err != nil {
		t.Fatal(err)
	}
	s.holder = config.NewHolder(cfg)
	s.holder.Join(s)
	s.Reloader = New(Options{Path: path, Catalog: noTools{}, Holder: s.holder, Env: env, Log: slog.New(slog.NewTextHandler(&s.log, nil))})
	return s
}

func (s *scene) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
}

// now expects what is in force and what is said of the disk.
func (s *scene) now(agents string, number uint64, fault string) {
	s.t.Helper()
	snap, standing := s.holder.Current(), s.Standing()
	if got := strings.Join(snap.Config.AgentNames(), " "); got != agents || snap.Number != number || standing.Number != number {
		s.t.Errorf("agents %q as snapshot %d (told %d), want %q as %d", got, snap.Number, standing.Number, agents, number)
	}
	if (fault == "") != (standing.Fault == "") || !strings.Contains(standing.Fault, fault) {
		s.t.Errorf("the fault is %q, want %q", standing.Fault, fault)
	}
}

// told expects the log to have said each, and forgets it.
func (s *scene) told(all ...string) {
	s.t.Helper()
	for _, want := range all {
		if !strings.Contains(s.log.String(), want) {
			s.t.Errorf("the log does not say %q:\n%s", want, s.log.String())
		}
	}
	if len(all) == 0 && s.log.Len() > 0 {
		s.t.Errorf("the log says:\n%s", s.log.String())
	}
	s.log.Reset()
}

// S65, spec/runtime.md 1.12: the whole tree counts, a fault keeps what is in force, and the same text is judged once.
func TestLook(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.Look(false)
	s.now("watcher", 1, "")
	s.told()

	s.write("agents/helper.yaml", "display_name: Helper\n") // a file that only a folder's listing shows
	s.Look(false)
	s.now("helper watcher", 2, "")
	s.told("configuration reloaded", "new=[helper]")

	s.write("agents/helper.yaml", "display_nam: Helper\n")
	s.Look(false)
	s.now("helper watcher", 2, "helper.yaml:1:1")
	s.told("helper.yaml:1:1", "the old one stays in force", "display_name")
	s.Look(false) // judged once
	s.told()
	s.Look(true) // unless somebody asks
	s.told("helper.yaml:1:1")

	s.write("agents/helper.yaml", "display_name: Helper\n")
	s.Look(false)
	s.now("helper watcher", 2, "")
	s.told("in force again")
	s.Look(true)
	s.told("has not changed")

	if err := os.Remove(filepath.Join(s.dir, "agents", "helper.yaml")); err != nil {
		t.Fatal(err)
	}
	s.Look(false)
	s.now("watcher", 3, "")
	s.told("removed=[helper]")
}

// A participant's word counts as a fault, and its refusal is no last word.
func TestObjection(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.objection = errors.New("the run table cannot be written")
	s.write("agents/helper.yaml", "display_name: Helper\n")
	s.Look(false)
	s.now("watcher", 1, "cannot be written")
	s.told("cannot be written")
	s.Look(false) // asked again, told once
	s.told()
	s.objection = nil
	s.Look(false)
	s.now("helper watcher", 2, "")
}

// An editor that replaces the file may be seen between its two steps.
func TestMissing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	path := filepath.Join(s.dir, "config.yaml")
	if err := os.Rename(path, path+"~"); err != nil {
		t.Fatal(err)
	}
	if !s.Look(false) {
		t.Error("a missing file is not looked at again")
	}
	s.now("watcher", 1, "")
	s.told()
	if s.Look(false) {
		t.Error("a file that stays away is looked at again and again")
	}
	s.now("watcher", 1, "config.yaml")
	s.told("refused")
	s.Look(false)
	s.told()
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
	s.Look(false)
	s.now("watcher", 1, "")
}

// Variables are those of the start; which ones wait is told once and without a value.
func TestEnv(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.write(".env", "TOKEN=very-secret\n")
	s.Look(false)
	s.told("restart MindRoom", "TOKEN")
	if got := s.Standing().Restart; !slices.Equal(got, []string{"TOKEN"}) {
		t.Errorf("Restart = %v", got)
	}
	s.Look(false)
	s.told()
	s.write(".env", "TOKEN 1\n")
	s.Look(false)
	s.told(".env:1")
	s.write(".env", "")
	s.Look(false)
	if got := s.Standing().Restart; len(got) > 0 {
		t.Errorf("Restart = %v after the file is as it was", got)
	}
	s.now("watcher", 1, "")
}

// The files are followed by event and by signal.
func TestRun(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	changed := make(chan string, 100)
	s.holder.Join(teller{changed})
	asked := make(chan os.Signal, 1)
	g := lifecycle.New(context.Background())
	g.Go("reload", func(ctx context.Context) error { return s.Run(ctx, asked) })
	defer func() {
		if err := g.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for i := range 3 {
		s.write("agents/helper.yaml", fmt.Sprintf("display_name: Helper %d\n", i))
		if i == 2 {
			asked <- syscall.SIGHUP
		}
		for timeout := time.After(30 * time.Second); ; {
			var got string
			select {
			case got = <-changed:
			case <-timeout:
				t.Fatal("the change was never taken up")
			}
			if got == fmt.Sprintf("Helper %d", i) {
				break
			}
		}
	}
}

// teller says how the helper is called now.
type teller struct{ changed chan string }

func (teller) Prepare(_, _ *config.Snapshot) error { return nil }
func (c teller) Commit(_, next *config.Snapshot) {
	c.changed <- next.Config.Agents["helper"].DisplayName
}
