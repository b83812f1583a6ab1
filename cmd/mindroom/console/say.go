package console

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/person"
)

// sendBudget bounds the sending of one message.
const sendBudget = 30 * time.Second

const helpText = `A line is sent as a message. The first one opens a thread; agents answer in it.
Name an agent with @ to speak to it among several.
  /thread      list the threads that were seen here
  /thread 2    write into thread 2
  /room        leave the thread: the next line opens a new one
  /yes         approve the newest question that waits for you
  /no REASON   deny it
  /quit        leave (also Ctrl-C, Ctrl-D)
  //text       send /text`

// say acts on one typed line.
func (s *session) say(ctx context.Context, line string) error {
	line = strings.TrimRight(line, " \t\r")
	switch {
	case strings.TrimSpace(line) == "":
		return nil
	case strings.HasPrefix(line, "//"):
		return s.send(ctx, line[1:])
	case strings.HasPrefix(line, "/"):
		return s.command(ctx, line)
	}
	return s.send(ctx, line)
}

func (s *session) command(ctx context.Context, line string) error {
	name, arg, _ := strings.Cut(line[1:], " ")
	switch arg = strings.TrimSpace(arg); name {
	case "quit", "q", "exit":
		return errQuit
	case "help", "h":
		return s.note(helpText)
	case "yes", "no":
		return s.decide(ctx, name == "yes", arg)
	case "room":
		s.thread = ""
		s.place()
		return s.note("in the room: the next line opens a new thread")
	case "thread", "t":
		if arg == "" {
			return s.note(s.threads())
		}
		n, err := strconv.Atoi(strings.Trim(arg, "[]"))
		if err != nil || n < 1 || n > len(s.book.threads) {
			return s.note(fmt.Sprintf("there is no thread %q here: /thread lists them", arg))
		}
		s.thread = s.book.threads[n-1]
		s.place()
		return s.note(fmt.Sprintf("in thread %d: %s", n, s.about(s.thread)))
	}
	return s.note(fmt.Sprintf("there is no command /%s: /help lists them, and //%s sends it", name, name))
}

// send writes into the thread, or opens one. What cannot be sent is told, and
// ends the chat only when the homeserver has ended the login.
func (s *session) send(ctx context.Context, text string) error {
	ctx, cancel := context.WithTimeout(ctx, sendBudget)
	defer cancel()
	var id string
	var err error
	if s.thread == "" {
		id, err = s.o.Person.Send(ctx, s.o.Room, text)
	} else {
		id, err = s.o.Person.SendThread(ctx, s.o.Room, s.thread, text)
	}
	if err != nil {
		return s.unsent(text, err)
	}
	if s.thread == "" {
		s.thread = id
		s.book.open(id)
		s.place()
	}
	s.asked, s.answered = id, false
	return nil
}

func (s *session) unsent(text string, err error) error {
	if person.Refused(err) && s.o.Answer > 0 {
		// Nobody is there to read a note and try again.
		return err
	}
	return s.note(fmt.Sprintf("not sent (%v): %s", err, text))
}

// note says something below the finished messages; live ones are drawn again.
func (s *session) note(text string) error {
	if err := s.o.Screen.note(text); err != nil {
		return err
	}
	return s.draw(nil)
}

// place tells the screen where lines go.
func (s *session) place() {
	where := ""
	if s.thread != "" {
		where = fmt.Sprintf("[%d] ", s.book.open(s.thread))
	}
	s.o.Screen.prompt(where)
}

func (s *session) threads() string {
	if len(s.book.threads) == 0 {
		return "no thread was seen here yet: the next line opens one"
	}
	var b strings.Builder
	for i, root := range s.book.threads {
		mark := " "
		if root == s.thread {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %d  %s\n", mark, i+1, s.about(root))
	}
	return strings.TrimRight(b.String(), "\n")
}

// about is the beginning of the message that opened a thread.
func (s *session) about(root string) string {
	e, ok := s.book.entries[root]
	if !ok || e.Body == "" {
		return "(opened before what was read)"
	}
	line, _, _ := strings.Cut(e.Body, "\n")
	if rows := tty.Wrap(tty.Plain(line), 60); len(rows) > 1 {
		line = rows[0] + " …"
	}
	return s.name(e.Sender) + ": " + line
}
