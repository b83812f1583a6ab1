package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"mindroom/internal/secret"
)

func TestLogForPeople(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	u := &ui{err: &out}
	log, err := newLog(u, "info", "text")
	if err != nil {
		t.Fatal(err)
	}
	secret.New("a-key-that-is-secret")
	log.Debug("unseen")
	log.With("agent", "keeper").WithGroup("run").Warn("went\x1b[2J wrong", "error", errors.New("two words"), "took", time.Second, slog.Group("in", "n", 1), "key", "a-key-that-is-secret")
	got := strings.TrimRight(out.String(), "\n")
	_, got, _ = strings.Cut(got, " ")
	if want := `warn  went\x1b[2J wrong agent=keeper run.error="two words" run.took=1s run.in.n=1 run.key=[redacted]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLogFlags(t *testing.T) {
	t.Parallel()
	u := &ui{err: &bytes.Buffer{}}
	for _, c := range []struct{ level, format, want string }{
		{"loud", "", "--log-level loud is unknown"}, {"info", "xml", "--log-format xml is unknown"},
	} {
		if _, err := newLog(u, c.level, c.format); err == nil || !strings.Contains(err.Error(), c.want) || exitStatus(err) != exitUsage {
			t.Errorf("newLog(%q, %q): %v", c.level, c.format, err)
		}
	}
}
