package story

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mindroom/internal/message"
	"mindroom/internal/person"
)

// ask sends the person's wish. Its event is the root of the thread.
func (s *Story) ask(ctx context.Context) (string, error) {
	text := "Please watch " + s.page.url + " and tell me here when it changes."
	if !s.model.Offline {
		// A real model gets the program it is to start word for word, so that the
		// story is the same with every model.
		program, err := os.ReadFile(filepath.Join(s.o.Folder, "watcher.py"))
		if err != nil {
			return "", err
		}
		text += " Call start_script with exactly this source, then answer in one sentence:\n\n```python\n" + string(program) + "```"
	}
	root, err := s.person.Send(ctx, s.room, text)
	if err != nil {
		return "", err
	}
	s.root = root
	_, err = s.person.WaitFor(ctx, func(e person.Event) bool { return e.ID == root })
	return "Please watch " + s.page.url + " …", err
}

// answer waits for the n-th finished answer of the agent in the thread. tool,
// when it is named, must stand in the answer's trace.
func (s *Story) answer(ctx context.Context, n int, tool string) (string, error) {
	var got person.Event
	err := s.until(ctx, func(thread []person.Event) (bool, error) {
		answers := finished(thread, s.agentID())
		if len(answers) > n {
			return false, fmt.Errorf("the agent answered %d times, %d were expected", len(answers), n)
		}
		if len(answers) < n {
			return false, nil
		}
		got = answers[n-1]
		return true, nil
	})
	if err != nil {
		return "", err
	}
	if status := got.Content[message.KeyStreamStatus]; status != string(message.StatusCompleted) {
		return "", fmt.Errorf("the answer ended as %v: %s", status, got.Body())
	}
	if trace, err := json.Marshal(got.Content[message.KeyToolTrace]); tool != "" && (err != nil || !strings.Contains(string(trace), tool)) {
		return "", fmt.Errorf("the answer's trace has no %s: %s", tool, got.Body())
	}
	return got.Body(), nil
}

// wake changes the page and waits for the script's n-th message.
func (s *Story) wake(ctx context.Context, n int, text string) (string, error) {
	s.page.set(text)
	var got person.Event
	err := s.until(ctx, func(thread []person.Event) (bool, error) {
		triggers := triggers(thread, s.agentID())
		if len(triggers) > n {
			return false, fmt.Errorf("the script sent %d messages, %d were expected", len(triggers), n)
		}
		if len(triggers) == n {
			got = triggers[n-1]
		}
		return len(triggers) == n, nil
	})
	if err != nil {
		return "", err
	}
	if got.Content[message.KeyOriginalSender] != s.person.UserID {
		return "", fmt.Errorf("the message acts for %v, not for the person who asked", got.Content[message.KeyOriginalSender])
	}
	return got.Body(), nil
}

// read waits until the page was read n times more.
func (s *Story) read(ctx context.Context, n int) error {
	from, _ := s.page.count()
	if n == 1 && from > 0 {
		return nil
	}
	for {
		reads, next := s.page.count()
		if reads >= from+n {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return fmt.Errorf("the page was read %d times: %w", reads, ctx.Err())
		}
	}
}

// quiet lets the script read the unchanged page three times more and makes sure
// that nobody said anything about it. The third reading proves that the second
// was dealt with.
func (s *Story) quiet(ctx context.Context) (string, error) {
	before, err := s.person.Thread(ctx, s.room, s.root)
	if err != nil {
		return "", err
	}
	if err := s.read(ctx, 3); err != nil {
		return "", err
	}
	after, err := s.person.Thread(ctx, s.room, s.root)
	if err != nil {
		return "", err
	}
	if len(after) != len(before) {
		return "", fmt.Errorf("the thread grew from %d to %d messages", len(before), len(after))
	}
	return fmt.Sprintf("%d messages in the thread, before and after", len(after)), nil
}

// until looks at the thread as the homeserver keeps it, each time anything
// happened, until ok says yes.
func (s *Story) until(ctx context.Context, ok func(thread []person.Event) (bool, error)) error {
	return s.untilIn(ctx, s.root, ok)
}

// untilIn is until for another thread.
func (s *Story) untilIn(ctx context.Context, root string, ok func(thread []person.Event) (bool, error)) error {
	check := func() (bool, error) {
		all, err := s.person.Timeline(ctx, s.room, 500)
		if err != nil {
			return false, err
		}
		var thread []person.Event
		for _, e := range person.Fold(all) {
			if e.ThreadRoot() == root {
				thread = append(thread, e)
			}
		}
		return ok(thread)
	}
	for _, err := range s.person.Follow(ctx) {
		if err != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		done, err := check()
		if done || err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

func (s *Story) agentID() string { return "@" + agent + ":" + s.server.ServerName }

// finished are the agent's answers that nothing more will be written to.
func finished(thread []person.Event, agent string) []person.Event {
	var out []person.Event
	for _, e := range thread {
		status, _ := e.Content[message.KeyStreamStatus].(string)
		if e.Sender == agent && status != "" && message.Status(status).Terminal() {
			out = append(out, e)
		}
	}
	return out
}

// triggers are the messages with which the script speaks to the agent.
func triggers(thread []person.Event, agent string) []person.Event {
	var out []person.Event
	for _, e := range thread {
		if e.Sender == agent && e.Content[message.KeySourceKind] == string(message.SourceRelay) {
			out = append(out, e)
		}
	}
	return out
}
