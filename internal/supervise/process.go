package supervise

import (
	"context"
	"os"
	"sync"
	"time"

	"mindroom/internal/supervise/tail"
	"mindroom/internal/supervise/wire"
)

// Process is one tree under its supervisor. All methods may be called at the same time. Whoever started it calls Close in the end.
type Process struct {
	id        string
	runDir    string
	tailBytes int
	conn      *os.File
	out       *os.File
	sup       *os.Process
	talk      talk

	wg     sync.WaitGroup // the one goroutine
	ctx    context.Context
	giveUp context.CancelFunc // stops the search for what a lost supervisor left
	exited chan struct{}
	dead   chan struct{}

	wmu  sync.Mutex // one frame at a time
	hung sync.Once

	mu      sync.Mutex
	state   wire.State
	lost    bool          // the supervisor is gone without a last word
	changed chan struct{} // closed and replaced at every change
	record  Record
	asked   uint64
	trouble error
	closed  bool
}

func newProcess(id string, spec Spec, conn, out *os.File, sup *os.Process) *Process {
	p := &Process{
		id: id, runDir: spec.RunDir, tailBytes: spec.TailBytes, conn: conn, out: out, sup: sup,
		exited: make(chan struct{}), dead: make(chan struct{}), changed: make(chan struct{}),
	}
	// Owned by the Process, not by a caller: it ends the search of the goroutine below, when Close says so.
	p.ctx, p.giveUp = context.WithCancel(context.Background())
	return p
}

// Exited closes when the leader has ended; everything it wrote before is in the output then.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Dead closes when nothing of the tree is left, proven; Record is final then.
func (p *Process) Dead() <-chan struct{} { return p.dead }

// Record returns the final record; false before Dead closed.
func (p *Process) Record() (Record, bool) {
	select {
	case <-p.dead:
	default:
		return Record{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.record, true
}

// pump is the goroutine: it hears the supervisor until it is gone, reaps it, and clears up after one that was killed.
func (p *Process) pump() {
	for {
		var s wire.State
		if wire.ReadFrame(p.conn, &s) != nil {
			break
		}
		p.take(s)
	}
	p.hangUp()
	if _, err := p.sup.Wait(); err != nil {
		p.note(err)
	}
	if s := p.latest(); s.Phase != wire.PhaseDead && s.Refused == "" {
		p.clearUp()
	}
}

// take makes a State the newest.
func (p *Process) take(s wire.State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.state.Exited && s.Exited
	p.state = s
	if s.Record != nil && s.Refused == "" {
		r := *s.Record
		if c, err := tail.Last(p.out, p.tailBytes); err == nil {
			r.Tail = c.Text(p.tailBytes)
		} else if p.trouble == nil {
			p.trouble = err
		}
		p.finish(r)
		return
	}
	if first {
		close(p.exited)
	}
	p.tell()
}

// finish makes the record final; the lock is held.
func (p *Process) finish(r Record) {
	p.record = r
	select {
	case <-p.exited:
	default:
		close(p.exited)
	}
	close(p.dead)
	p.tell()
}

func (p *Process) tell() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *Process) latest() wire.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

func (p *Process) note(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trouble == nil {
		p.trouble = err
	}
}

// await waits until a State satisfies ok. It fails when ctx ends, and with KindLost when no further State will come.
func (p *Process) await(ctx context.Context, ok func(wire.State) bool) error {
	for {
		p.mu.Lock()
		s, lost, changed := p.state, p.lost, p.changed
		p.mu.Unlock()
		if ok(s) {
			return nil
		}
		if lost || s.Phase == wire.PhaseDead {
			return &Error{Kind: KindLost, Text: "the process's supervisor is gone"}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// send writes one frame, waiting no longer than ctx. The kernel takes a frame as small as a Request whole or not at all, so a time-out never leaves half of one
// behind; a Start that was cut short is followed by abort.
func (p *Process) send(ctx context.Context, v any) error {
	p.wmu.Lock()
	defer p.wmu.Unlock()
	deadline, _ := ctx.Deadline() // the zero time means none
	if err := p.conn.SetWriteDeadline(deadline); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = p.conn.SetWriteDeadline(time.Now()) })
	defer stop()
	return wire.WriteFrame(p.conn, v)
}

// hangUp closes our end; the supervisor then knows, and so does our own goroutine.
func (p *Process) hangUp() {
	p.hung.Do(func() {
		_ = p.conn.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.lost = p.state.Phase != wire.PhaseDead
		p.tell()
	})
}
