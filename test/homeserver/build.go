package homeserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

const (
	// dirVariable names a folder that holds (or gets) the built server,
	// instead of the user's cache folder.
	dirVariable = "MINDROOM_DENDRITE_DIR"
	module      = "github.com/matrix-org/dendrite"
	// tick is how often a running build says that it is alive.
	tick = 5 * time.Second
)

// ErrNoSource says that the server has to be built but the repository's
// tools/dendrite is not around.
var ErrNoSource = errors.New("the homeserver is not built and its source pin (tools/dendrite) was not found: run from a checkout of the repository, or set " +
	dirVariable + " to a folder that holds a built `dendrite`")

// Build returns the path of the homeserver's binary and builds it when it is
// not in the cache. progress, which may be nil, gets a line when a build
// starts, then every few seconds, and when it ends; nothing when the file is
// there already. A cancelled build leaves no file behind.
func Build(ctx context.Context, progress func(string)) (string, error) {
	if progress == nil {
		progress = func(string) {}
	}
	if dir := os.Getenv(dirVariable); dir != "" {
		if bin := filepath.Join(dir, "dendrite"); executable(bin) {
			return bin, nil
		}
	}
	src, err := source()
	if err != nil {
		return "", err
	}
	version, err := pinned(filepath.Join(src, "go.mod"))
	if err != nil {
		return "", err
	}
	dir, err := cacheDir(version)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "dendrite")
	if executable(bin) {
		return bin, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("homeserver cache: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(dir, "lock"), progress)
	if err != nil {
		return "", err
	}
	defer unlock()
	if executable(bin) { // somebody else was first
		return bin, nil
	}
	return bin, compile(ctx, src, bin, version, progress)
}

func compile(ctx context.Context, src, bin, version string, progress func(string)) error {
	what := fmt.Sprintf("building the test homeserver (Dendrite %s) into %s", version, filepath.Dir(bin))
	progress(what + "; minutes when done for the first time")
	start := time.Now()
	part := bin + ".part"
	defer os.Remove(part) // gone after a success, so this cleans failures only
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=readonly", "-o", part, module+"/cmd/dendrite")
	cmd.Dir = src
	// No cgo: the same pure-Go SQLite everywhere, and no compiler needed.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	done := make(chan struct{})
	var out []byte
	var err error
	go func() {
		defer close(done)
		out, err = cmd.CombinedOutput()
	}()
	t := time.NewTicker(tick)
	defer t.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-t.C:
			progress(fmt.Sprintf("%s: %s so far", what, time.Since(start).Round(time.Second)))
		}
	}
	if err != nil {
		return fmt.Errorf("build the test homeserver in %s: %w\n%s", src, err, tail(out, 4<<10))
	}
	if err := os.Rename(part, bin); err != nil {
		return fmt.Errorf("homeserver cache: %w", err)
	}
	progress(fmt.Sprintf("homeserver built in %s", time.Since(start).Round(time.Second)))
	return nil
}

// source finds tools/dendrite: above the working directory, else where this
// file was compiled from.
func source() (string, error) {
	var from []string
	if wd, err := os.Getwd(); err == nil {
		from = append(from, wd)
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		from = append(from, filepath.Dir(file))
	}
	for _, dir := range from {
		for {
			if src := filepath.Join(dir, "tools", "dendrite"); regular(filepath.Join(src, "go.mod")) {
				return src, nil
			}
			up := filepath.Dir(dir)
			if up == dir {
				break
			}
			dir = up
		}
	}
	return "", ErrNoSource
}

var pin = regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(module) + `\s+(v\S+)`)

func pinned(gomod string) (string, error) {
	b, err := os.ReadFile(gomod)
	if err != nil {
		return "", fmt.Errorf("homeserver pin: %w", err)
	}
	m := pin.FindSubmatch(b)
	if m == nil {
		return "", fmt.Errorf("homeserver pin: %s does not require %s", gomod, module)
	}
	return string(m[1]), nil
}

func cacheDir(version string) (string, error) {
	if dir := os.Getenv(dirVariable); dir != "" {
		return dir, nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("homeserver cache: %w; set %s", err, dirVariable)
	}
	return filepath.Join(base, "mindroom", "dendrite", version+"-"+runtime.Version()), nil
}

func regular(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.Mode().IsRegular()
}

func executable(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.Mode().IsRegular() && i.Mode()&0o111 != 0
}

// lock takes an exclusive lock on a file; the kernel gives it back when this
// process dies. Nothing can wake us when another process lets go, so this asks
// again twice a second.
func lock(ctx context.Context, path string, progress func(string)) (func(), error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("homeserver cache: %w", err)
	}
	t := time.NewTicker(500 * time.Millisecond)
	defer t.Stop()
	for said := false; ; said = true {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !said {
			progress("another process is building the test homeserver; waiting for it")
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("wait for the homeserver build: %w", context.Cause(ctx))
		}
	}
}

func tail(b []byte, n int) []byte {
	if len(b) > n {
		return b[len(b)-n:]
	}
	return b
}
