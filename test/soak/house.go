package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mindroom/internal/script"
	"mindroom/internal/tool"
	"mindroom/test/rig"
)

// houseMode is the argument with which this program is the primary.
const houseMode = "primary"

// owner is whom the runs belong to.
const owner = "@soak:example.org"

// house is a primary under load.
type house struct {
	plan Plan
	rig  *rig.Rig
	kit  *kit
	// long are the runs that last as long as the load.
	callers, holders []*script.Run
	began            time.Time

	launched, cancelled, checked atomic.Int64
	// played counts the acts, which are played in turn.
	played atomic.Int64

	mu  sync.Mutex // guards out
	out *json.Encoder
}

// runHouse is this program as a primary. The plan comes on in; its end means
// that the judge is gone.
func runHouse(in io.Reader, out io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h := &house{kit: newKit(), out: json.NewEncoder(out)}
	decoder := json.NewDecoder(in)
	if err := decoder.Decode(&h.plan); err != nil {
		fmt.Fprintf(os.Stderr, "soak: the plan cannot be read: %v\n", err)
		return 2
	}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel(errors.New("the judge is gone"))
	}()
	if err := h.live(ctx); err != nil {
		h.wrong("the primary: %v", err)
		return 1
	}
	return 0
}

// live is a phase from the opening to the end of everything.
func (h *house) live(ctx context.Context) (err error) {
	var end Ended
	end.GoroutinesBefore = runtime.NumGoroutine()
	if end.DescriptorsBefore, err = descriptors(); err != nil {
		return err
	}
	h.rig, err = rig.Open(ctx, h.plan.Dir, rig.Options{Toolkits: []tool.Toolkit{h.kit.toolkit()}, Retention: h.plan.Retention()})
	if err != nil {
		return err
	}
	maintained, stopMaintain := context.WithCancel(ctx)
	var maintaining sync.WaitGroup
	maintaining.Go(func() { _ = h.rig.Manager.Maintain(maintained) }) // returns no error
	loadErr := h.load(ctx)
	stopMaintain()
	maintaining.Wait()
	began := time.Now()
	closeErr := h.rig.Close()
	end.Stop = time.Since(began).Seconds()
	end.Calls, end.Launched, end.Cancelled, end.Checked = h.kit.calls(), h.launched.Load(), h.cancelled.Load(), h.checked.Load()
	if err := errors.Join(loadErr, closeErr, h.leave()); err != nil {
		return err
	}
	end.GoroutinesAfter = settledGoroutines(end.GoroutinesBefore)
	if end.DescriptorsAfter, err = descriptors(); err != nil {
		return err
	}
	h.tell(line{Ended: &end})
	return nil
}

// settledGoroutines waits a little for goroutines of connections that were
// closed: they belong to the standard library, which nobody can wait for.
func settledGoroutines(want int) int {
	for range 100 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// leave writes down what the judge compares with the database.
func (h *house) leave() error {
	var all []ran
	for _, r := range append(h.callers, h.holders...) {
		all = append(all, ran{ID: string(r.ID), Script: r.Name, Marks: h.kit.marks(string(r.ID))})
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(h.plan.Dir, ledgerFile), raw, 0o600)
}

func (h *house) tell(l line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.out.Encode(l) // a judge that is gone is noticed on the other pipe
}

func (h *house) wrong(format string, args ...any) {
	h.tell(line{Wrong: fmt.Sprintf(format, args...)})
}

func (h *house) progress(format string, args ...any) {
	h.tell(line{Progress: fmt.Sprintf(format, args...)})
}

// launch starts one of the scripts.
func (h *house) launch(ctx context.Context, name string) (*script.Run, error) {
	text, err := source(name, h.plan.Threads)
	if err != nil {
		return nil, err
	}
	req, err := rig.Request(owner, text)
	if err != nil {
		return nil, err
	}
	req.Name, req.Allowed = name, []string{toolkitName}
	h.launched.Add(1)
	return h.rig.Manager.Launch(ctx, req)
}
