package shell

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mindroom/internal/lifecycle"
)

// Limits of the commands that are kept.
const (
	// MaxRunning is how many commands one requester has running with one agent,
	// those still waited for among them. A command that is its agent's only way to
	// end others is counted beside those that nobody waits for any more.
	MaxRunning = 16
	// Retention is how long a finished command can still be read.
	Retention = 10 * time.Minute
	// maxKept bounds running and finished commands of one requester and agent;
	// the oldest finished ones go first.
	maxKept = 64
	// endBudget bounds how long the end of a tree is waited for. It is less than
	// the room waits for a cancelled call, so that the outcome is ours to tell.
	endBudget = 8 * time.Second
)

// Processes owns every command of the toolkit.
type Processes struct {
	commands Commands
	runner   lifecycle.Runner

	mu       sync.Mutex
	closed   bool
	stop     chan struct{}
	records  []*record // oldest first
	starting map[owner]int
}

// NewProcesses makes an empty table. Commands that are kept are each watched by
// a goroutine of runner; when runner's goroutines are told to leave, the commands
// end.
func NewProcesses(commands Commands, runner lifecycle.Runner) *Processes {
	return &Processes{commands: commands, runner: runner, stop: make(chan struct{}), starting: map[owner]int{}}
}

// errFull and errClosed are why a command is not started.
var (
	errFull   = fmt.Errorf("%d commands of yours are running, which is the most; end one with kill_shell_command or wait for one", MaxRunning)
	errClosed = errors.New("the runtime is shutting down; no command is started any more")
)

// start starts a command for o and records it. only says that o has no other way
// than this to end what runs in the background.
func (p *Processes) start(ctx context.Context, o owner, c Command, only bool) (*record, error) {
	if err := p.reserve(o, only); err != nil {
		return nil, err
	}
	r := &record{owner: o, started: time.Now(), dropped: make(chan struct{})}
	proc, err := p.commands.Start(ctx, c)
	if closed := p.admit(r, proc, err == nil); err == nil && closed {
		// Close has already gone through the records.
		return nil, errors.Join(errClosed, proc.Close(context.WithoutCancel(ctx)))
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// admit gives the reserved place back, and to a started command its record. It
// reports whether Close came first; then there is no record.
func (p *Processes) admit(r *record, proc Process, started bool) (closed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting[r.owner]--
	if p.starting[r.owner] == 0 {
		delete(p.starting, r.owner)
	}
	if started && !p.closed {
		r.proc, r.handle = proc, p.freshHandle()
		p.records = append(p.records, r)
	}
	return p.closed
}

// reserve holds a place for a command that is about to start.
func (p *Processes) reserve(o owner, only bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed
	}
	running := p.starting[o]
	for _, r := range p.records {
		if r.owner == o && !r.isFinal() && !(only && r.kept) {
			running++
		}
	}
	if running >= MaxRunning {
		return errFull
	}
	p.starting[o]++
	return nil
}

// freshHandle makes a handle that no record has; the lock is held.
func (p *Processes) freshHandle() string {
	for {
		var b [4]byte
		if _, err := rand.Read(b[:]); err != nil {
			panic("shell: the system gives no randomness: " + err.Error())
		}
		handle := "shell:" + hex.EncodeToString(b[:])
		if p.at(handle) == nil {
			return handle
		}
	}
}

func (p *Processes) at(handle string) *record {
	for _, r := range p.records {
		if r.handle == handle {
			return r
		}
	}
	return nil
}

// find is o's command of that handle; nil when there is none, or none of o's.
func (p *Processes) find(o owner, handle string) *record {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.at(handle); r != nil && r.owner == o {
		return r
	}
	return nil
}

// of lists o's commands, newest first, without those that are still waited for.
func (p *Processes) of(o owner) []*record {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []*record
	for _, r := range slices.Backward(p.records) {
		if r.owner == o && r.kept {
			all = append(all, r)
		}
	}
	return all
}

// forget drops a record. Nothing of its command is left.
func (p *Processes) forget(r *record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(r)
}

func (p *Processes) drop(r *record) {
	for i, other := range p.records {
		if other == r {
			p.records = append(p.records[:i:i], p.records[i+1:]...)
			close(r.dropped)
			return
		}
	}
}
