package approval

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/excerpt"
	"mindroom/internal/lifecycle"
	"mindroom/internal/secret"
)

const (
	// checkWithin bounds one check, the wait for a free process and the start of one included.
	checkWithin = 5 * time.Second
	// maxScript is the longest file that is evaluated, in bytes.
	maxScript = 1 << 20
)

// Subject is what a script is asked about: check(tool_name, arguments, agent_name).
type Subject struct {
	// Function is the bare function name, as in a rule's match.
	Function  string
	Arguments canonical.Doc
	Agent     string
}

// ScriptParts is what Scripts works with.
type ScriptParts struct {
	// Python finds the interpreter of .py files, an absolute path, anew for each process; nil: there is none, and such files fail.
	Python func() (string, error)
	// Environ is the environment of this process; a script's process sees a few variables of it that hold no secret.
	Environ []string
	// Run owns what runs beside a check.
	Run lifecycle.Runner
	// Within bounds one check; 0 means five seconds.
	Within time.Duration
	// Log hears what a script prints; nil is slog.Default().
	Log *slog.Logger
}

// Scripts evaluates the files that tool_approval rules name. A file is read for every check, so that an edit counts at once; what was
// made of it is kept by the digest of its bytes. Its methods may be called from any goroutine.
type Scripts struct {
	python  *pythons
	starlib *starlibs
	within  time.Duration
}

// NewScripts makes an evaluator. It starts nothing before a check needs it.
func NewScripts(p ScriptParts) *Scripts {
	if p.Log == nil {
		p.Log = slog.Default()
	}
	if p.Within == 0 {
		p.Within = checkWithin
	}
	return &Scripts{python: newPythons(p), starlib: &starlibs{log: p.Log}, within: p.Within}
}

// Check asks the file whether a person must approve. An error is always a *ScriptError; then the question has no answer and the caller must not
// go on as if it had one.
func (s *Scripts) Check(ctx context.Context, path string, about Subject) (needsApproval bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	text, err := readScript(path)
	if err != nil {
		return false, err
	}
	if strings.HasSuffix(path, ".star") {
		needsApproval, err = s.starlib.check(ctx, text, about)
	} else {
		needsApproval, err = s.python.check(ctx, text, about)
	}
	return needsApproval, s.late(ctx, path, err)
}

// late tells a failure that the end of the time caused as what it is.
func (s *Scripts) late(ctx context.Context, path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &ScriptError{Path: path, Kind: ScriptTimeout, Text: fmt.Sprintf("no answer within %s", s.within)}
	case ctx.Err() != nil:
		return &ScriptError{Path: path, Kind: ScriptTimeout, Text: "the call ended while the script was asked"}
	}
	return err
}

// scriptText is a file as it was read.
type scriptText struct {
	path   string
	source []byte
	digest [sha256.Size]byte
}

// readScript reads a file that must be an ordinary one of bounded length: opening a pipe would wait for whoever writes into it.
func readScript(path string) (scriptText, error) {
	missing := func(err error) (scriptText, error) {
		return scriptText{}, &ScriptError{Path: path, Kind: ScriptMissing, Text: err.Error()}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err // the path is told beside it
		}
		return missing(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return missing(err)
	}
	if !info.Mode().IsRegular() {
		return missing(errors.New("it is not a file"))
	}
	source, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err != nil {
		return missing(err)
	}
	if len(source) > maxScript {
		return missing(fmt.Errorf("it is longer than %d bytes", maxScript))
	}
	return scriptText{path: path, source: source, digest: sha256.Sum256(source)}, nil
}

// ScriptKind says why a script gave no answer. The kinds are stable.
type ScriptKind string

// The kinds.
const (
	// ScriptMissing: the file cannot be read.
	ScriptMissing ScriptKind = "missing"
	// ScriptInvalid: it is no program, or has no function check.
	ScriptInvalid ScriptKind = "invalid"
	// ScriptRaised: it ended with an error of its own.
	ScriptRaised ScriptKind = "raised"
	// ScriptAnswer: check returned something that is neither true nor false.
	ScriptAnswer ScriptKind = "answer"
	// ScriptTimeout: no answer came in time; what ran was ended.
	ScriptTimeout ScriptKind = "timeout"
	// ScriptDied: its process ended without an answer.
	ScriptDied ScriptKind = "died"
	// ScriptUnavailable: this runtime cannot run it.
	ScriptUnavailable ScriptKind = "unavailable"
)

// ScriptError is a script that gave no answer.
type ScriptError struct {
	Path string
	Kind ScriptKind
	// Line is where in the file, counted from 1; 0 when it cannot be told.
	Line int
	// Text is for operators: it may quote what the script was asked about.
	Text string
}

// Error tells all of it, for operators.
func (e *ScriptError) Error() string { return e.Where() + ": " + string(e.Kind) + ": " + e.Text }

// maxQuoted bounds what is kept of a script's own words, in bytes.
const maxQuoted = 500

// quoted is what is kept of a script's own words. Secrets go before the cut: half a secret is not recognised any more.
func quoted(text string) string { return excerpt.Head(secret.Default.Redact(text), maxQuoted) }

// Where is the file and, where it is known, the line.
func (e *ScriptError) Where() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d", e.Path, e.Line)
	}
	return e.Path
}

// Public tells a caller what failed without quoting the script.
func (e *ScriptError) Public() string {
	what := map[ScriptKind]string{
		ScriptMissing: "cannot be read", ScriptInvalid: "is no script with a function check", ScriptRaised: "failed",
		ScriptAnswer: "answered neither true nor false", ScriptTimeout: "gave no answer in time", ScriptDied: "ended without an answer",
		ScriptUnavailable: "cannot be run here",
	}[e.Kind]
	where := filepath.Base(e.Path)
	if e.Line > 0 {
		where = fmt.Sprintf("%s (line %d)", where, e.Line)
	}
	return where + " " + what
}
