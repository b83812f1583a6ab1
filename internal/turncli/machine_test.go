package turncli

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mindroom/internal/approval"
	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// machine does to one response whatever a command, a person, and the engine may do,
// in any order, while the calls run.
type machine struct {
	h       *house
	o       *Owner
	kept    *holds
	windows []tool.Scope
	ids     []string
	group   *lifecycle.Group
	next    int
	made    []string // the functions of calls that were accepted
	over    bool
	jobs    []func()
}

// TestEveryOrder holds that whatever happens in whatever order: what is counted is
// true at every moment, no call runs twice, nothing is admitted outside of a
// window, and nothing is left at the end.
func TestEveryOrder(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := &machine{h: h, kept: newHolds(), group: lifecycle.New(context.Background())}
		m.o = h.open(func(open *Opening) {
			if rapid.Bool().Draw(rt, "people can be asked") {
				open.Holds = m.kept
			}
		})
		before := h.kit.ran()
		rt.Repeat(map[string]func(*rapid.T){
			"":         m.check,
			"command":  m.command,
			"call":     m.call,
			"describe": m.describe,
			"return":   m.returns,
			"job":      m.job,
			"job ends": m.jobEnds,
			"decide":   m.decide,
			"let go":   m.letOne,
			"resume":   m.resume,
			"fence":    m.fence,
			"end":      m.end,
		})
		m.finish(rt, before)
	})
}

// ran is how many bodies began.
func (k *kit) ran() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.seen)
}

// check holds what is counted to what there is.
func (m *machine) check(rt *rapid.T) {
	o := m.o
	o.mu.Lock()
	defer o.mu.Unlock()
	unfinished, active := 0, map[*window]int{}
	for id, c := range o.calls {
		if c.ended() != (c.outcome != nil) {
			rt.Fatalf("%s is %s with outcome %s", id, c.status, c.outcome)
		}
		if c.ended() {
			continue
		}
		unfinished++
		if c.window != nil && !c.parks() {
			active[c.window]++
		}
	}
	if o.unfinished != unfinished {
		rt.Fatalf("%d are counted as unfinished, %d are", o.unfinished, unfinished)
	}
	for _, w := range o.windows {
		if w.closed || !w.command && w.jobs == 0 && w.active == 0 {
			rt.Fatalf("an open window is %+v", w)
		}
		if w.active != active[w] || w.asking > w.active {
			rt.Fatalf("window %s has %d active of %d, %d ask", w.id, w.active, active[w], w.asking)
		}
	}
	if (o.phase == dead) != (m.h.find(o.token.Reveal()) == nil) {
		rt.Fatalf("phase %d, and the grant is found: %v", o.phase, m.h.find(o.token.Reveal()) != nil)
	}
}

func (m *machine) command(rt *rapid.T) {
	id := fmt.Sprintf("toolu_%d", len(m.windows))
	scope, err := m.o.Open(context.Background(), tool.Ref{Door: tool.DoorTurn, Owner: m.o.turn, ID: "1.1." + id})
	if err != nil {
		return
	}
	if m.over {
		rt.Fatal("a command started after the end")
	}
	m.windows, m.ids = append(m.windows, scope), append(m.ids, id)
}

func (m *machine) call(rt *rapid.T) {
	id := ""
	if len(m.ids) > 0 {
		id = rapid.SampledFrom(m.ids).Draw(rt, "window")
	}
	name := rapid.SampledFrom([]string{"echo", "ask", "block", "alone", "fail"}).Draw(rt, "function")
	args := `{}`
	if name == "echo" || name == "ask" {
		args = `{"text":"x"}`
	}
	doc, err := parseDocument(args)
	if err != nil {
		rt.Fatal(err)
	}
	open := m.open(id)
	m.next++
	_, refused := m.o.submit(id, submission{id: uuid(m.next), name: tool.Name{Toolkit: "kit", Function: name}, args: doc})
	if refused == nil {
		if !open {
			rt.Fatalf("admitted under %q, which is closed", id)
		}
		m.made = append(m.made, name)
	}
}

// open reports whether a window was open; only this goroutine opens any.
func (m *machine) open(id string) bool {
	m.o.mu.Lock()
	defer m.o.mu.Unlock()
	w := m.o.windows[id]
	return w != nil && !w.closed && m.o.phase != dead
}

func (m *machine) describe(rt *rapid.T) {
	if len(m.ids) > 0 {
		_, _ = m.o.describe(rapid.SampledFrom(m.ids).Draw(rt, "window"), operation{submission: submission{name: tool.Name{Toolkit: "kit", Function: "echo"}}})
	}
}

// take removes a command that has not returned.
func (m *machine) take(rt *rapid.T) tool.Scope {
	if len(m.windows) == 0 {
		return nil
	}
	i := rapid.IntRange(0, len(m.windows)-1).Draw(rt, "which")
	scope := m.windows[i]
	m.windows = append(m.windows[:i:i], m.windows[i+1:]...)
	return scope
}

func (m *machine) returns(rt *rapid.T) {
	scope := m.take(rt)
	if scope == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	if rapid.Bool().Draw(rt, "its call is ended") {
		cancel()
	}
	m.group.Go("close", func(context.Context) error { defer cancel(); scope.Close(ctx); return nil })
}

func (m *machine) job(rt *rapid.T) {
	if scope := m.take(rt); scope != nil {
		_, done := scope.Hold()
		m.jobs = append(m.jobs, done)
	}
}

func (m *machine) jobEnds(*rapid.T) {
	if len(m.jobs) > 0 {
		m.jobs[0]()
		m.jobs = m.jobs[1:]
	}
}

func (m *machine) decide(rt *rapid.T) {
	state := rapid.SampledFrom([]approval.State{approval.Approved, approval.Denied, approval.Expired}).Draw(rt, "word")
	err := m.h.db.Write(context.Background(), func(tx *store.Tx) error {
		cards, err := approval.Waiting(tx, tool.DoorCLI, m.o.turn)
		if err != nil || len(cards) == 0 {
			return err
		}
		_, _, _, err = m.h.cards.Decide(tx, cards[0].ID, state, "@anna:x", "")
		return err
	})
	if err != nil {
		rt.Fatal(err)
	}
}

func (m *machine) letOne(*rapid.T) {
	select {
	case m.h.kit.release <- struct{}{}:
	default:
	}
}

// resume makes what was let go of and decided, as the engine does: beside its own
// other work.
func (m *machine) resume(rt *rapid.T) {
	m.kept.mu.Lock()
	var calls []tool.Call
	for ref, c := range m.kept.kept {
		if m.kept.begun[ref] == 0 {
			calls = append(calls, c)
		}
	}
	m.kept.mu.Unlock()
	for _, c := range calls {
		m.o.mu.Lock()
		parked := m.o.calls[c.ID].parks()
		m.o.mu.Unlock()
		var d tool.Decision
		var over bool
		if err := m.h.db.Read(context.Background(), func(q *store.Reader) (err error) {
			d, over, err = m.h.cards.Decision(q, c.Ref)
			return err
		}); err != nil {
			rt.Fatal(err)
		}
		if parked && over {
			m.group.Go("resume", func(context.Context) error { m.o.Resume(context.Background(), c, d); return nil })
		}
	}
}

func (m *machine) fence(*rapid.T) {
	m.o.mu.Lock()
	defer m.o.mu.Unlock()
	if m.o.phase == live {
		m.o.fence = "kit.finish"
	}
}

func (m *machine) end(rt *rapid.T) {
	if len(m.made) < 3 {
		return
	}
	m.over = true
	switch rapid.SampledFrom([]string{"cancel", "release", "expiry"}).Draw(rt, "how") {
	case "cancel":
		m.o.Cancel(context.Background())
	case "release":
		m.o.Release(context.Background())
	case "expiry":
		m.o.expire()
	}
}

func (m *machine) finish(rt *rapid.T, before int) {
	m.over = true
	for _, done := range m.jobs {
		done()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	m.o.Cancel(ctx)
	for _, scope := range m.windows {
		scope.Close(ctx)
	}
	done := make(chan struct{})
	watch := lifecycle.New(context.Background())
	watch.Go("wait", func(context.Context) error { _ = m.group.Wait(); close(done); return nil })
	select {
	case <-done:
		_ = watch.Wait()
	case <-time.After(patience):
		rt.Fatal("a command's call never ended")
	}
	m.check(rt)
	m.o.mu.Lock()
	defer m.o.mu.Unlock()
	if m.o.busy != 0 || m.o.unfinished != 0 || len(m.o.windows) != 0 || m.o.phase != dead {
		for _, c := range m.o.calls {
			rt.Logf("%s %s is %s: asking %v, held %v, %v", c.ID, c.Name, c.status, c.asking, c.held, context.Cause(c.ctx))
		}
		rt.Fatalf("left: %d busy, %d unfinished, %d windows, phase %d", m.o.busy, m.o.unfinished, len(m.o.windows), m.o.phase)
	}
	if ran := m.h.kit.ran() - before; ran > len(m.made) {
		rt.Fatalf("%d bodies ran for %d calls", ran, len(m.made))
	}
	for ref, n := range m.kept.begun {
		if n > 1 {
			rt.Fatalf("%s began %d times", ref, n)
		}
	}
}
