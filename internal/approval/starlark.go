package approval

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"go.starlark.net/lib/json"
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mindroom/internal/excerpt"
	"mindroom/internal/lifecycle"
	"mindroom/internal/secret"
)

const (
	// maxSteps bounds the work of one check, or of reading a file, in Starlark's own steps. Nothing bounds its memory: a file is the operator's
	// own, as the configuration is.
	maxSteps = 1_000_000
	// maxPrints bounds how often one check reaches the log.
	maxPrints = 20
)

// dialect is what a file may use: no recursion and no while, so that it ends, and conditions at the top.
var dialect = &syntax.FileOptions{Set: true, TopLevelControl: true}

// starlibs keeps the modules that were made of Starlark files. A module is frozen: checks run side by side and leave nothing behind.
type starlibs struct {
	log *slog.Logger

	mu   sync.Mutex
	made map[string]starlib // by path
}

type starlib struct {
	digest [sha256.Size]byte
	check  starlark.Callable
}

func (s *starlibs) check(ctx context.Context, text scriptText, about Subject) (needsApproval bool, err error) {
	// A panic of the interpreter must not end more than this check.
	failed := lifecycle.Call(func() error {
		var check starlark.Callable
		if check, err = s.module(ctx, text); err == nil {
			needsApproval, err = s.ask(ctx, text.path, check, about)
		}
		return nil
	})
	if failed != nil {
		return false, &ScriptError{Path: text.path, Kind: ScriptRaised, Text: failed.Error()}
	}
	return needsApproval, err
}

// module gives the file's function check.
func (s *starlibs) module(ctx context.Context, text scriptText) (starlark.Callable, error) {
	s.mu.Lock()
	m, ok := s.made[text.path]
	s.mu.Unlock() // a file that takes its time to load must hold up nobody else's
	if ok && m.digest == text.digest {
		return m.check, nil
	}
	thread, stop := s.thread(ctx, text.path)
	defer stop()
	globals, err := starlark.ExecFileOptions(dialect, thread, text.path, text.source, starlark.StringDict{"json": json.Module})
	if err != nil {
		return nil, starFault(text.path, ScriptInvalid, err)
	}
	globals.Freeze()
	check, ok := globals["check"].(starlark.Callable)
	if !ok {
		return nil, &ScriptError{Path: text.path, Kind: ScriptInvalid, Text: "it defines no function check(tool_name, arguments, agent_name)"}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made == nil {
		s.made = map[string]starlib{}
	}
	s.made[text.path] = starlib{text.digest, check}
	return check, nil
}

func (s *starlibs) ask(ctx context.Context, path string, check starlark.Callable, about Subject) (bool, error) {
	thread, stop := s.thread(ctx, path)
	defer stop()
	arguments, err := starlark.Call(thread, json.Module.Members["decode"], starlark.Tuple{starlark.String(about.Arguments.Canonical())}, nil)
	if err != nil {
		return false, starFault(path, ScriptRaised, err)
	}
	answer, err := starlark.Call(thread, check, starlark.Tuple{starlark.String(about.Function), arguments, starlark.String(about.Agent)}, nil)
	if err != nil {
		return false, starFault(path, ScriptRaised, err)
	}
	if b, ok := answer.(starlark.Bool); ok {
		return bool(b), nil
	}
	return false, &ScriptError{Path: path, Kind: ScriptAnswer, Text: fmt.Sprintf("check returned %s, not True or False", answer.Type())}
}

// thread runs something within its steps and no longer than ctx.
func (s *starlibs) thread(ctx context.Context, path string) (*starlark.Thread, func()) {
	printed := 0
	t := &starlark.Thread{Name: path, Print: func(_ *starlark.Thread, line string) {
		if printed++; printed <= maxPrints {
			s.log.Info("an approval script printed", "script", path, "line", excerpt.Head(secret.Default.Redact(line), maxNoise))
		}
	}}
	t.SetMaxExecutionSteps(maxSteps)
	stop := context.AfterFunc(ctx, func() { t.Cancel("no answer in time") })
	return t, func() { stop() }
}

// starFault says what went wrong and on which line of the file.
func starFault(path string, kind ScriptKind, err error) *ScriptError {
	e := &ScriptError{Path: path, Kind: kind, Text: quoted(err.Error())}
	at := func(p syntax.Position) {
		if p.IsValid() && p.Filename() == path {
			e.Line = int(p.Line)
		}
	}
	var parse syntax.Error
	var names resolve.ErrorList
	var ran *starlark.EvalError
	switch {
	case errors.As(err, &parse):
		e.Text = parse.Msg
		at(parse.Pos)
	case errors.As(err, &names) && len(names) > 0:
		e.Text = names[0].Msg
		at(names[0].Pos)
	case errors.As(err, &ran):
		for _, frame := range ran.CallStack {
			at(frame.Pos)
		}
	}
	return e
}

// validateStar reads a file, which runs no more than its own definitions and reaches nothing.
func validateStar(text scriptText) error {
	s := &starlibs{log: slog.New(slog.DiscardHandler)}
	_, err := s.module(context.Background(), text)
	return err
}
