//go:build linux

package guard

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"mindroom/internal/supervise/wire"
)

// lastWord bounds how long a dying supervisor tries to tell its client. The record is on disk by then.
const lastWord = 2 * time.Second

// talk is the conversation with the client: one goroutine hears, one speaks, and the main one waits for neither.
type talk struct {
	f        *os.File
	requests chan wire.Request // closed when the client's end is; the main goroutine then sets it to nil
	quit     chan struct{}
	kick     chan struct{}
	wg       sync.WaitGroup

	mu      sync.Mutex
	state   wire.State
	ready   bool // there is a state to send
	answer  uint64
	pending bool // an Ask has not been answered yet
	trouble error
}

func converse(f *os.File) *talk {
	t := &talk{f: f, requests: make(chan wire.Request), quit: make(chan struct{}), kick: make(chan struct{}, 1)}
	t.wg.Go(t.speak)
	in := t.requests
	t.wg.Go(func() { t.hear(in) })
	return t
}

func (t *talk) hear(in chan<- wire.Request) {
	defer close(in)
	for {
		var r wire.Request
		if wire.ReadFrame(t.f, &r) != nil {
			return // a client that speaks nonsense is treated as one that is gone
		}
		select {
		case in <- r:
		case <-t.quit:
			return
		}
	}
}

// speak sends the newest state whenever there is a new one. A client that is gone is not an error here: hear sees it.
func (t *talk) speak() {
	for {
		select {
		case <-t.kick:
			t.send()
		case <-t.quit:
			t.send()
			return
		}
	}
}

func (t *talk) send() {
	t.mu.Lock()
	s, ready := t.state, t.ready
	t.ready = false
	t.mu.Unlock()
	if ready {
		_ = wire.WriteFrame(t.f, s)
	}
}

// hungUp asks the kernel whether the client's end is closed.
func (t *talk) hungUp() bool {
	p := []unix.PollFd{{Fd: ControlFD, Events: unix.POLLRDHUP}}
	n, err := unix.Poll(p, 0)
	return err == nil && n > 0 && p[0].Revents&(unix.POLLRDHUP|unix.POLLHUP) != 0
}

// publish replaces whatever has not been sent yet.
func (t *talk) publish(s wire.State) {
	t.mu.Lock()
	s.Answered = t.answer
	if t.trouble != nil {
		s.Trouble = t.trouble.Error()
	}
	t.state, t.ready, t.pending = s, true, false
	t.mu.Unlock()
	select {
	case t.kick <- struct{}{}:
	default:
	}
}

// answered notes that the next state answers this Ask.
func (t *talk) answered(n uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.answer, t.pending = max(t.answer, n), true
}

func (t *talk) asked() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pending
}

// note keeps the first thing that went wrong without stopping anything; every later state tells it.
func (t *talk) note(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.trouble == nil {
		t.trouble = err
	}
}

// close sends the last state, bounded, and ends both goroutines.
func (t *talk) close() {
	_ = t.f.SetWriteDeadline(time.Now().Add(lastWord))
	close(t.quit)
	_ = t.f.SetReadDeadline(time.Now())
	t.wg.Wait()
	_ = t.f.Close()
}
