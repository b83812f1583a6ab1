package story

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mindroom/internal/person"
	"mindroom/test/homeserver"
)

//go:embed sample
var sample embed.FS

const (
	// Person is the local part of who asks.
	Person = "anna"
	// Room is the alias of the room, without the server.
	Room = "#operations"

	agent = "mindroom_watcher"
)

// Story is a story that was set up: everything runs, nobody has spoken yet.
type Story struct {
	o       Options
	model   Model
	server  *homeserver.Server
	page    *page
	primary *primary
	person  *person.Client
	room    string
	root    string
	// Password is the person's, made for this story.
	Password string

	began, last time.Time
}

// ErrStep names the step that was not seen.
type ErrStep struct {
	Name string
	Err  error
}

// Error names the step first.
func (e *ErrStep) Error() string { return fmt.Sprintf("step %q was not seen: %v", e.Name, e.Err) }

// Unwrap is why.
func (e *ErrStep) Unwrap() error { return e.Err }

// Begin builds and starts everything. What it started is ended by Close, also
// when it fails.
func Begin(ctx context.Context, o Options) (s *Story, err error) {
	if o.Step == nil {
		o.Step = func(Step) {}
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
	s = &Story{o: o, model: ChooseModel(o.Lookup), began: time.Now(), last: time.Now(), Password: rand.Text()}
	if o.Model != nil {
		s.model = *o.Model
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.server, err = homeserver.Start(ctx, homeserver.Options{Dir: filepath.Join(o.Folder, "homeserver"), Progress: o.Progress}); err != nil {
		return s, &ErrStep{"homeserver", err}
	}
	s.saw("homeserver", s.server.URL)
	if s.page, err = newPage("All quiet."); err != nil {
		return s, &ErrStep{"page", err}
	}
	if s.person, err = s.server.Register(ctx, Person, s.Password); err != nil {
		return s, &ErrStep{"person", err}
	}
	if o.Encrypted {
		if err = s.person.Secure(ctx); err != nil {
			return s, &ErrStep{"person", err}
		}
	}
	if err = s.lay(); err != nil {
		return s, &ErrStep{"configuration", err}
	}
	within, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	if s.primary, err = startPrimary(within, o, s.server.URL); err != nil {
		return s, &ErrStep{"runtime", err}
	}
	s.saw("runtime ready", s.model.Words)
	if s.room, err = s.person.Join(within, Room+":"+s.server.ServerName); err != nil {
		return s, &ErrStep{"room", err}
	}
	s.saw("person joined the room", Room+":"+s.server.ServerName)
	return s, nil
}

// lay writes the configuration of the story.
func (s *Story) lay() error {
	poll := s.o.Poll
	if poll == 0 {
		poll = 15
	}
	// Two calls a poll at most, and room for the launch.
	rate := max(30, 4*60/poll)
	for name, put := range map[string]*strings.Replacer{
		"config.yaml": strings.NewReplacer("@MODEL@", s.model.YAML, "@PERSON@", s.person.UserID, "@RATE@", strconv.Itoa(rate),
			"@ENCRYPTED@", strconv.FormatBool(s.o.Encrypted)),
		"rules.yaml": strings.NewReplacer(),
		"watcher.py": s.watcher(poll),
	} {
		raw, err := sample.ReadFile("sample/" + name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(s.o.Folder, name), []byte(put.Replace(string(raw))), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// watcher puts the story's values in place of the document's.
func (s *Story) watcher(poll int) *strings.Replacer {
	return strings.NewReplacer(
		`"https://example.org/controlled-status.txt"`, strconv.Quote(s.page.url),
		"POLL_SECONDS = 15", "POLL_SECONDS = "+strconv.Itoa(poll),
	)
}

// Play plays the story to its end.
func (s *Story) Play(ctx context.Context) error {
	asking := &asking{Story: s}
	steps := []struct {
		name string
		play func(context.Context) (string, error)
	}{
		{"person asks the agent", s.ask},
		{"agent started the script and answered", func(ctx context.Context) (string, error) { return s.answer(ctx, 1, "start_script") }},
		{"script read the page", func(ctx context.Context) (string, error) { return "", s.read(ctx, 1) }},
		{"script woke the agent after the first change", func(ctx context.Context) (string, error) { return s.wake(ctx, 1, "Smoke in the server room.") }},
		{"agent answered", func(ctx context.Context) (string, error) { return s.answer(ctx, 2, "") }},
		{"script woke the agent after the second change", func(ctx context.Context) (string, error) { return s.wake(ctx, 2, "The fire is out.") }},
		{"agent answered again", func(ctx context.Context) (string, error) { return s.answer(ctx, 3, "") }},
		{"unchanged page woke nobody", s.quiet},
		{"person asks for something that needs an approval", asking.ask},
		{"agent asks the person before it writes the file", asking.asked},
		{"person approved, and only then the file was written", asking.approve},
	}
	for _, step := range steps {
		within, cancel := context.WithTimeout(ctx, s.o.Patience)
		detail, err := step.play(within)
		cancel()
		if err != nil {
			return &ErrStep{step.name, fmt.Errorf("%w; the log is %s", err, s.primary.log)}
		}
		s.saw(step.name, detail)
	}
	return nil
}

func (s *Story) saw(name, detail string) {
	now := time.Now()
	s.o.Step(Step{Name: name, Detail: detail, At: now.Sub(s.began), Took: now.Sub(s.last)})
	s.last = now
}

// Homeserver is the address any Matrix client takes.
func (s *Story) Homeserver() string { return s.server.URL }

// PageURL is the address of the watched page; a POST there changes it.
func (s *Story) PageURL() string { return s.page.url }

// Room and Thread are where the story took place.
func (s *Story) Room() string   { return s.room }
func (s *Story) Thread() string { return s.root }

// Person is who asks.
func (s *Story) Person() *person.Client { return s.person }

// Server is the homeserver itself.
func (s *Story) Server() *homeserver.Server { return s.server }

// AgentID is the Matrix id of the agent.
func (s *Story) AgentID() string { return s.agentID() }

// Down ends the runtime in order; everything else goes on.
func (s *Story) Down() error {
	err := s.primary.stop()
	s.primary = nil
	return err
}

// Up starts the runtime again in the same folder, and returns when it is ready.
func (s *Story) Up(ctx context.Context) (err error) {
	within, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	s.primary, err = startPrimary(within, s.o, s.server.URL)
	return err
}

// Close ends everything the story started. It says so when the runtime did not
// end in order.
func (s *Story) Close() error {
	var errs []error
	if s.primary != nil {
		errs = append(errs, s.primary.stop())
		s.primary = nil
	}
	if s.person != nil {
		s.person.Close()
	}
	if s.page != nil {
		s.page.close()
	}
	if s.server != nil {
		s.server.Stop()
	}
	return errors.Join(errs...)
}
