package console

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"mindroom/internal/person"
)

// Person is the Matrix client of whoever chats; *person.Client is one.
type Person interface {
	Names(ctx context.Context, room string) (map[string]string, error)
	Timeline(ctx context.Context, room string, limit int) ([]person.Event, error)
	Thread(ctx context.Context, room, root string) ([]person.Event, error)
	Edits(ctx context.Context, room, target string) ([]person.Event, error)
	Follow(ctx context.Context) iter.Seq2[person.Event, error]
	Send(ctx context.Context, room, body string, mention ...string) (string, error)
	SendThread(ctx context.Context, room, root, body string, mention ...string) (string, error)
	SendEvent(ctx context.Context, room, eventType string, content map[string]any) (string, error)
	React(ctx context.Context, room, target, key string) (string, error)
}

// Options say what to chat about. All but Thread and Terminal are required.
type Options struct {
	Person Person
	// UserID is the full id of the person.
	UserID string
	// Room is the room's id.
	Room string
	// Thread is the event of the thread to write into; empty opens a new one with
	// the first message.
	Thread string
	// Last is how many messages of the past are shown.
	Last int
	// Answer bounds the wait for an answer to the last message after the input has
	// ended; 0 waits for none. A person who ends the input of a terminal waits for none.
	Answer time.Duration
	// Input gives the lines.
	Input LineReader
	// Screen is a Terminal, or Pipe for anything else.
	Screen Screen
}

// LineReader gives typed lines, and io.EOF at their end. After End it gives
// nothing but io.EOF.
type LineReader interface {
	ReadLine() (string, error)
	End()
}

// Screen is where messages are shown: a *Terminal, or what Pipe returns.
type Screen interface{ screen }

// ErrNoAnswer says that the input ended and nobody answered its last message in time.
var ErrNoAnswer = errors.New("nobody answered in time: look again later, or wait longer with --wait")

// Run chats until the input ends, /quit, or ctx ends, which is no error.
func Run(ctx context.Context, o Options) error {
	s := &session{o: o, book: newBook(), thread: o.Thread, untold: map[string]bool{}}
	if err := s.begin(ctx); err != nil {
		return ended(ctx, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	events, lines := make(chan arrival), make(chan typed)
	var wg sync.WaitGroup
	wg.Go(func() { follow(ctx, o.Person, s.retry, events) })
	wg.Go(func() { read(ctx, o.Input, lines) })
	err := s.loop(ctx, events, lines)
	cancel()
	o.Input.End()
	wg.Wait()
	return ended(ctx, err)
}

// ended is err, unless it only says that the chat was asked to end.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, errQuit) || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// arrival is an event, or an error of following it.
type arrival struct {
	event person.Event
	err   error
}

// typed is a line of the input, or its end.
type typed struct {
	text string
	err  error
}

func read(ctx context.Context, in LineReader, to chan<- typed) {
	for {
		text, err := in.ReadLine()
		select {
		case to <- typed{text, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// follow hands events on until ctx ends. A connection that broke is tried again
// with growing pauses; a refusal of the homeserver ends the chat.
func follow(ctx context.Context, p Person, pause func(n int) time.Duration, to chan<- arrival) {
	for failures, known := 0, 0; ; {
		n := 0
		for e, err := range p.Follow(ctx) {
			// A new Follow repeats what is known without asking anybody.
			if n++; err == nil && n > known {
				failures, known = 0, n
			}
			select {
			case to <- arrival{e, err}:
			case <-ctx.Done():
				return
			}
			if person.Refused(err) {
				return
			}
		}
		failures++
		t := time.NewTimer(pause(failures))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// retryPause is the pause before try n, from half a second to half a minute.
func retryPause(n int) time.Duration {
	return min(250*time.Millisecond<<min(n, 8), 30*time.Second)
}

// connectionLost is the note for an error that is tried again.
func connectionLost(err error) string {
	return fmt.Sprintf("the homeserver does not answer (%v): trying again", err)
}
