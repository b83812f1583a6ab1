package config

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

type participant struct {
	refuse    error
	prepared  int
	committed []uint64
	seen      func(old, next *Snapshot)
}

func (p *participant) Prepare(_, _ *Snapshot) error { p.prepared++; return p.refuse }

func (p *participant) Commit(old, next *Snapshot) {
	p.committed = append(p.committed, next.Number)
	if p.seen != nil {
		p.seen(old, next)
	}
}

// Invariants 5 and 6 under any order of agreed and refused reloads.
func TestReloadHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := NewHolder(&Config{})
		people := []*participant{{}, {}, {}}
		for _, p := range people {
			h.Join(p)
		}
		var committed []uint64
		for range rapid.IntRange(1, 12).Draw(t, "reloads") {
			before := h.Current()
			refused := 0
			for _, p := range people {
				p.refuse = nil
				if rapid.IntRange(0, 5).Draw(t, "mood") == 0 {
					p.refuse = fmt.Errorf("participant objects")
					refused++
				}
			}
			next := &Config{}
			s, err := h.Publish(next)
			switch {
			case refused > 0 && (err == nil || h.Current() != before):
				t.Fatalf("a refused reload took effect: %v", err)
			case refused == 0 && (err != nil || s.Number != before.Number+1 || h.Current() != s || s.Config != next):
				t.Fatalf("an agreed reload did not: %v %v", s, err)
			case refused == 0:
				committed = append(committed, s.Number)
			}
		}
		for _, p := range people {
			if fmt.Sprint(p.committed) != fmt.Sprint(committed) {
				t.Fatalf("committed %v, want %v", p.committed, committed)
			}
		}
	})
}

func TestEveryObjectionIsTold(t *testing.T) {
	t.Parallel()
	h := NewHolder(&Config{})
	one, two := errors.New("one"), errors.New("two")
	h.Join(&participant{refuse: one})
	h.Join(&participant{refuse: two})
	if _, err := h.Publish(&Config{}); !errors.Is(err, one) || !errors.Is(err, two) {
		t.Errorf("%v", err)
	}
}

func TestCommitSeesTheNewSnapshot(t *testing.T) {
	t.Parallel()
	h := NewHolder(&Config{})
	h.Join(&participant{seen: func(old, next *Snapshot) {
		if h.Current() != next || old.Number != 1 {
			t.Errorf("current %d, old %d", h.Current().Number, old.Number)
		}
	}})
	if _, err := h.Publish(&Config{}); err != nil {
		t.Fatal(err)
	}
}

// Run with -race: readers never wait and never see numbers go back.
func TestConcurrentReadersAndReloads(t *testing.T) {
	t.Parallel()
	h := NewHolder(&Config{})
	const writers, each = 4, 25
	var all sync.WaitGroup
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for last := uint64(0); ; {
				n := h.Current().Number
				if n < last {
					t.Errorf("number went from %d to %d", last, n)
				}
				last = n
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range writers {
		all.Go(func() {
			for range each {
				if _, err := h.Publish(&Config{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	close(done)
	readers.Wait()
	if n := h.Current().Number; n != writers*each+1 {
		t.Errorf("number %d", n)
	}
}

// binder records in which order it was asked.
type binder struct {
	participant
	fail  error
	steps []string
}

func (b *binder) Prepare(old, next *Snapshot) error {
	b.steps = append(b.steps, "prepare")
	return b.participant.Prepare(old, next)
}

func (b *binder) Bind(_, _ *Snapshot) (func(), error) {
	b.steps = append(b.steps, "bind")
	return func() { b.steps = append(b.steps, "release") }, b.fail
}

func (b *binder) Commit(_, _ *Snapshot) { b.steps = append(b.steps, "commit") }

// What must be durable first is bound after everybody agreed and before anybody sees the change, and it is released either way.
func TestBind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refuse, fail error
		first, last  string
	}{
		"agreed":       {nil, nil, "[prepare bind commit release]", "[prepare bind commit release]"},
		"refused":      {errors.New("no"), nil, "[prepare]", "[prepare]"},
		"cannot write": {nil, errors.New("disk full"), "[prepare bind release]", "[prepare bind]"},
	} {
		h, first, last := NewHolder(&Config{}), &binder{}, &binder{participant: participant{refuse: c.refuse}, fail: c.fail}
		h.Join(first)
		h.Join(last)
		before := h.Current()
		_, err := h.Publish(&Config{})
		if bad := c.refuse != nil || c.fail != nil; (err != nil) != bad || (h.Current() == before) != bad {
			t.Errorf("%s: %v", name, err)
		}
		if fmt.Sprint(first.steps) != c.first || fmt.Sprint(last.steps) != c.last {
			t.Errorf("%s: %v and %v", name, first.steps, last.steps)
		}
	}
}
