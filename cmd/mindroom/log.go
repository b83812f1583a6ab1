package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/secret"
)

// levels are the names of --log-level and LOG_LEVEL.
var levels = map[string]slog.Level{"DEBUG": slog.LevelDebug, "INFO": slog.LevelInfo, "WARNING": slog.LevelWarn, "WARN": slog.LevelWarn, "ERROR": slog.LevelError}

// newLog writes to stderr: short lines on a terminal, else one JSON object a
// line. format is "text", "json", or empty for that choice. Every record passes
// the redactor first.
func newLog(u *ui, level, format string) (*slog.Logger, error) {
	l, ok := levels[strings.ToUpper(level)]
	if !ok {
		return nil, usagef("--log-level %s is unknown: use debug, info, warning or error", level)
	}
	text := u.errTTY
	switch format {
	case "":
	case "text", "json":
		text = format == "text"
	default:
		return nil, usagef("--log-format %s is unknown: use text or json", format)
	}
	return slog.New(secret.NewHandler(handler(u, u.err, l, text), nil)), nil
}

func handler(u *ui, w io.Writer, l slog.Level, text bool) slog.Handler {
	if text {
		return newLineHandler(w, l, func(c ink, s string) string { return u.paint(u.errTTY, c, s) })
	}
	return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: l})
}

// levelNames are what a person reads; ink is only beside them (rule 3).
func levelName(l slog.Level) (string, ink) {
	switch {
	case l >= slog.LevelError:
		return "error", red
	case l >= slog.LevelWarn:
		return "warn", yellow
	case l >= slog.LevelInfo:
		return "info", green
	}
	return "debug", faint
}

// quoted is a value as a line shows it: quoted only when it would not read as one.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \"=") || strings.ContainsFunc(s, tty.Obeyed) {
		return fmt.Sprintf("%q", s)
	}
	return s
}
