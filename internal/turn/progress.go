package turn

import (
	"sync"
	"time"
	"unicode/utf8"

	"mindroom/internal/config"
)

// progress holds what the room sees of an answer while it grows and sends it
// on at the pace of the room. The stream writes into it and never waits for an
// edit.
type progress struct {
	// send shows a state of the answer; its errors are its own business,
	// because the end of the answer shows everything again.
	send func(view)
	// render is what a reader would notice a difference in.
	render func(*view) string

	mu   sync.Mutex
	view view
	pace pace
	last string
	wake chan struct{}
}

// newProgress starts from what an earlier process showed; first is when the
// answer's first message was sent.
func newProgress(v view, first string, s config.Streaming, now time.Time, render func(*view) string, send func(view)) *progress {
	return &progress{
		send: send, render: render, view: v, last: first, wake: make(chan struct{}, 1),
		pace: pace{Streaming: s, began: now, last: now},
	}
}

// write continues the answer's text.
func (p *progress) write(text string) {
	p.change(false, func(v *view) {
		v.write(text)
		p.pace.fresh += utf8.RuneCountInString(text)
	})
}

// change alters the answer. forced asks for an edit as soon as the floor
// allows.
func (p *progress) change(forced bool, alter func(*view)) {
	p.mu.Lock()
	alter(&p.view)
	p.pace.pending = true
	p.pace.forced = p.pace.forced || forced
	p.pace.changed = time.Now()
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// now is a copy of the answer as it stands.
func (p *progress) now() view {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.view.clone()
}

// run sends edits until over is closed. None is being sent when it returns.
func (p *progress) run(over <-chan struct{}) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		at, ok := p.next()
		if !ok {
			timer.Stop()
		} else if wait := time.Until(at); wait > 0 {
			timer.Reset(wait)
		} else {
			p.edit()
			continue
		}
		select {
		case <-over:
			return nil
		case <-p.wake:
		case <-timer.C:
		}
	}
}

func (p *progress) next() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pace.due(time.Now())
}

func (p *progress) edit() {
	p.mu.Lock()
	v := p.view.clone()
	p.pace.pending, p.pace.forced, p.pace.fresh = false, false, 0
	p.pace.last = time.Now()
	text := p.render(&v)
	same := text == p.last
	if !same {
		p.last = text
		p.pace.edits++
	}
	p.mu.Unlock()
	if !same {
		p.send(v)
	}
}
