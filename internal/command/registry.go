package command

import (
	"context"
	"errors"
	"fmt"

	"mindroom/internal/config"
)

// Who is who may use a command. Whoever may, must also have access to the room.
type Who string

// The groups.
const (
	Anybody     Who = "anybody"      // with access to the room
	RoomAdmins  Who = "room admins"  // global_users, and who may change the room's power levels
	GlobalUsers Who = "global users" // authorization.global_users
)

// Command is one command and what people read about it.
type Command struct {
	// Name is written with "_" between its words; any way that folds alike finds
	// it.
	Name string
	// Usage is what follows the name, as "[room|thread]"; empty for nothing.
	Usage string
	Who   Who
	// Brief is one line of the list, Help the answer to "!help NAME", both Markdown.
	Brief, Help string
	// Changes reports whether the command with these arguments changes something;
	// it is then run at most once. nil means that it never does.
	Changes func(args string) bool
	// Run carries it out and returns the answer, Markdown. An error is a fault of
	// ours: the person reads that it failed, the log why. It may be run again
	// unless it changes something. ctx ends when the process stops.
	Run func(ctx context.Context, c Call) (string, error)
}

// Always is for Changes of a command that does with any arguments.
func Always(string) bool { return true }

// Call is one use of a command by somebody who may use it.
type Call struct {
	EventID, Room string
	// Thread is the root of the thread it was said in; empty for the room itself.
	Thread string
	// Account answers, as the outbox names it; Entity is the configured name behind it.
	Account, Entity string
	// Sender is the Matrix id it came from, Person whom that id speaks for.
	Sender, Person string
	// Args is what follows the name.
	Args string
	// RoomAdmin: the person is one for sure.
	RoomAdmin bool
	Snapshot  *config.Snapshot
	// Registry is all commands.
	Registry *Registry
}

// Registry is every command of a build. Make one with NewRegistry.
type Registry struct {
	all    []Command
	byName map[string]Command
}

// NewRegistry refuses two commands that people could not tell apart, and one
// that is not whole.
func NewRegistry(commands ...Command) (*Registry, error) {
	r := &Registry{byName: map[string]Command{}}
	for _, c := range commands {
		key := fold(c.Name)
		switch _, twice := r.byName[key]; {
		case key == "" || c.Brief == "" || c.Help == "" || c.Run == nil:
			return nil, fmt.Errorf("command %q is not whole", c.Name)
		case c.Who != Anybody && c.Who != RoomAdmins && c.Who != GlobalUsers:
			return nil, fmt.Errorf("command %q is for %q, which is nobody", c.Name, c.Who)
		case twice:
			return nil, fmt.Errorf("command %q is there twice", c.Name)
		}
		r.all = append(r.all, c)
		r.byName[key] = c
	}
	if len(r.all) == 0 {
		return nil, errors.New("no commands")
	}
	return r, nil
}

// Find is the command of that name, written in any way that folds alike.
func (r *Registry) Find(name string) (Command, bool) {
	c, ok := r.byName[fold(name)]
	return c, ok
}

// All are the commands in the order in which they are listed.
func (r *Registry) All() []Command { return append([]Command(nil), r.all...) }

// Written is a command as people type it: "!name usage".
func (c Command) Written() string {
	if c.Usage == "" {
		return "!" + c.Name
	}
	return "!" + c.Name + " " + c.Usage
}

func (c Command) changes(args string) bool { return c.Changes != nil && c.Changes(args) }
