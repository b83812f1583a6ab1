//go:build linux

package guard

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"mindroom/internal/supervise/tail"
)

const (
	readSize = 64 << 10
	// drainMost bounds one drain. A pipe holds 64 KiB unless somebody enlarged it, to 1 MiB at most without privilege.
	drainMost = 2 << 20
)

// output is the one pipe both of the leader's channels write to, and the tail that keeps the end of it. One goroutine reads; the main one
// drains as well, when it must be sure that what was written is kept.
type output struct {
	read, write *os.File
	fd          int           // of read, which stays open as long as anybody reads
	grown       chan struct{} // the watched offset was passed

	mu   sync.Mutex // the ring and the order of reads
	ring *tail.Writer
	file *os.File
	buf  []byte
	err  error

	bytes   atomic.Int64
	watched atomic.Int64
	done    chan struct{}
}

func newOutput(size int) (*output, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("make output pipe: %w", err)
	}
	o := &output{fd: p[0], write: os.NewFile(uintptr(p[1]), "output"), grown: make(chan struct{}, 1), buf: make([]byte, readSize), file: os.NewFile(OutputFD, "output tail"), done: make(chan struct{})}
	o.watched.Store(math.MaxInt64)
	if err := unix.SetNonblock(p[0], true); err != nil { // only our end: the tree's must block
		return nil, fmt.Errorf("make output pipe: %w", err)
	}
	o.read = os.NewFile(uintptr(p[0]), "output")
	var err error
	if o.ring, err = tail.Create(o.file, size); err != nil {
		return nil, err
	}
	go o.pump()
	return o, nil
}

// takeWriteEnd hands the write end over; it must be closed after the fork, so that the pipe can end.
func (o *output) takeWriteEnd() *os.File {
	w := o.write
	o.write = nil
	return w
}

// pump reads until everybody closed the pipe, or close did.
func (o *output) pump() {
	defer close(o.done)
	raw, err := o.read.SyscallConn()
	if err != nil {
		o.fail(err)
		return
	}
	for more := true; more; {
		err := raw.Read(func(uintptr) bool {
			n, again := o.take()
			more = n > 0
			return !again
		})
		if err != nil {
			return // closed by close
		}
	}
}

// take moves what one read gives into the ring. again: there is nothing now.
func (o *output) take() (n int, again bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		n, err := unix.Read(o.fd, o.buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return 0, true
		case err != nil || n <= 0:
			return 0, false
		}
		if _, err := o.ring.Write(o.buf[:n]); err != nil && o.err == nil {
			o.err = err
		}
		o.bytes.Store(o.ring.Total())
		if o.ring.Total() > o.watched.Load() {
			o.tell()
		}
		return n, false
	}
}

// tell wakes the main goroutine once for a watch.
func (o *output) tell() {
	o.watched.Store(math.MaxInt64)
	select {
	case o.grown <- struct{}{}:
	default:
	}
}

// watch asks to be told when more than offset bytes were seen; of several such wishes the lowest counts, and whoever made a higher one asks again.
func (o *output) watch(offset int64) {
	o.watched.Store(min(offset, o.watched.Load()))
	if o.bytes.Load() > offset {
		o.tell()
	}
}

// drain takes whatever is in the pipe now, without waiting for more.
func (o *output) drain() {
	for taken := 0; taken < drainMost; {
		n, _ := o.take()
		if n == 0 {
			return
		}
		taken += n
	}
}

// close ends the reader and returns the first failure to keep output, if any.
func (o *output) close() error {
	if o.write != nil {
		_ = o.write.Close() // nothing was started
	}
	o.drain()
	_ = o.read.Close()
	<-o.done
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *output) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
}

// total counts the bytes seen; 0 before there is an output.
func (o *output) total() int64 {
	if o == nil {
		return 0
	}
	return o.bytes.Load()
}
