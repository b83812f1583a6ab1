package approval

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"mindroom/internal/lifecycle"
	"mindroom/internal/supervise"
)

const (
	// processesOfOne bounds the processes of one script, and with it how many of its checks run at a time.
	processesOfOne = 4
	// idleFor is how long a process without questions stays warm.
	idleFor = 10 * time.Minute
	// endWithin bounds the wait for the proof that a process's tree is gone, before it is tried again.
	endWithin = 10 * time.Second
)

//go:embed script_host.py
var hostProgram []byte

// pythons keeps the processes of Python scripts, by path; each set of them serves one content.
type pythons struct {
	python func() (string, error)
	env    []string
	run    lifecycle.Runner
	log    *slog.Logger

	mu   sync.Mutex
	sets map[string]*processSet
}

func newPythons(p ScriptParts) *pythons {
	env := append(supervise.PassedOn(p.Environ), "PYTHONDONTWRITEBYTECODE=1")
	return &pythons{python: p.Python, env: env, run: p.Run, log: p.Log, sets: map[string]*processSet{}}
}

// set is the processes for this text. Those of an earlier text of the same file are let go.
func (p *pythons) set(text scriptText) *processSet {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sets[text.path]
	if s == nil || s.digest != text.digest {
		if s != nil {
			s.dissolve()
		}
		s = &processSet{digest: text.digest, slots: make(chan struct{}, processesOfOne)}
		p.sets[text.path] = s
	}
	return s
}

func (p *pythons) check(ctx context.Context, text scriptText, about Subject) (bool, error) {
	s := p.set(text)
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	for {
		proc, warm := s.take(), true
		if proc == nil {
			var err error
			if proc, err = p.start(ctx, text, s); err != nil {
				return false, err
			}
			warm = false
		}
		answer, err := proc.ask(ctx, about)
		var told *ScriptError
		switch {
		case err == nil || errors.As(err, &told): // it answered, if only that the script failed
			s.give(proc)
			<-s.slots
			return answer, err
		case warm && ctx.Err() == nil: // it died while it was idle: the question never reached it
			proc.end(nil)
			continue
		}
		// The caller does not wait for the end of what hangs, but its place stays taken until it is gone.
		err = &ScriptError{Path: text.path, Kind: ScriptDied, Text: "its process ended: " + err.Error()}
		proc.tellNoise("an approval script gave no answer", "error", err)
		proc.end(func() { <-s.slots })
		return false, err
	}
}

// start makes a warm process. On an error the place in the set is free again, or will be once what was started is gone.
func (p *pythons) start(ctx context.Context, text scriptText, s *processSet) (*process, error) {
	unavailable := func(err error) error {
		<-s.slots
		return &ScriptError{Path: text.path, Kind: ScriptUnavailable, Text: err.Error()}
	}
	if p.python == nil {
		return nil, unavailable(errors.New("there is no Python here; write the rule's script in Starlark, in a file that ends in .star"))
	}
	python, err := p.python()
	if err != nil {
		return nil, unavailable(err)
	}
	tree, err := supervise.Start(ctx, supervise.Spec{
		Argv: []string{python, "-I", "-u", supervise.TextPath}, Env: p.env, Text: hostProgram, Piped: true, MaxProcs: 256, Grace: time.Millisecond,
	})
	if err != nil {
		return nil, unavailable(err)
	}
	proc := &process{path: text.path, tree: tree, log: p.log, ended: make(chan struct{}), idle: time.NewTimer(idleFor)}
	if !p.run.Go("approval script", func(ctx context.Context) error { proc.keep(ctx, s); return nil }) {
		proc.close()
		return nil, unavailable(errors.New("the runtime is stopping"))
	}
	answer, err := proc.exchange(ctx, request{Load: &loadRequest{Path: text.path, Source: base64.StdEncoding.EncodeToString(text.source)}})
	switch {
	case err != nil:
		err = &ScriptError{Path: text.path, Kind: ScriptDied, Text: "its process ended while it read the script: " + err.Error()}
	case answer.Failed != nil:
		err = proc.failed(answer.Failed)
	case !answer.Loaded:
		err = &ScriptError{Path: text.path, Kind: ScriptDied, Text: errReply.Error()}
	}
	if err != nil {
		proc.end(func() { <-s.slots })
		return nil, err
	}
	return proc, nil
}

// processSet is the processes of one text.
type processSet struct {
	digest [sha256.Size]byte
	slots  chan struct{} // one for each process that works or is being ended

	mu        sync.Mutex
	warm      []*process
	dissolved bool
}

// take gives a warm process that nobody else has; nil when there is none.
func (s *processSet) take() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.warm) == 0 {
		return nil
	}
	last := s.warm[len(s.warm)-1]
	s.warm = s.warm[:len(s.warm)-1]
	last.idle.Stop()
	return last
}

// give puts a process back.
func (s *processSet) give(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dissolved {
		p.end(nil)
		return
	}
	p.idle.Reset(idleFor)
	s.warm = append(s.warm, p)
}

// remove takes p out of the warm ones; false when it is at work.
func (s *processSet) remove(p *process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.warm, p)
	if i < 0 {
		return false
	}
	s.warm = slices.Delete(s.warm, i, i+1)
	return true
}

// dissolve ends the warm processes now and the others when they come back.
func (s *processSet) dissolve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dissolved = true
	for _, p := range s.warm {
		p.end(nil)
	}
	s.warm = nil
}
