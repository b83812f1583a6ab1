package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"

	"mindroom/cmd/mindroom/tty"
)

// lineHandler prints records for a person who watches: time of day, level,
// message, then the attributes as key=value.
type lineHandler struct {
	mu    *sync.Mutex
	w     io.Writer
	level slog.Level
	paint func(ink, string) string
	// before are the attributes of With, printed once; prefix names the groups.
	before string
	prefix string
}

func newLineHandler(w io.Writer, level slog.Level, paint func(ink, string) string) *lineHandler {
	return &lineHandler{mu: &sync.Mutex{}, w: w, level: level, paint: paint}
}

// Enabled reports whether level is worth printing.
func (h *lineHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle prints one record in one write, so that lines never mix.
func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	var b bytes.Buffer
	name, c := levelName(r.Level)
	b.WriteString(h.paint(faint, r.Time.Local().Format("15:04:05.000")))
	b.WriteString(" " + h.paint(c, (name + "     ")[:5]) + " ")
	b.WriteString(tty.Plain(r.Message))
	b.WriteString(h.before)
	r.Attrs(func(a slog.Attr) bool {
		h.attr(&b, h.prefix, a)
		return true
	})
	b.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.w.Write(b.Bytes())
	return err
}

// WithAttrs prints attrs with every record.
func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b bytes.Buffer
	for _, a := range attrs {
		h.attr(&b, h.prefix, a)
	}
	next := *h
	next.before += b.String()
	return &next
}

// WithGroup puts name before every later key.
func (h *lineHandler) WithGroup(name string) slog.Handler {
	next := *h
	if name != "" {
		next.prefix += name + "."
	}
	return &next
}

func (h *lineHandler) attr(b *bytes.Buffer, prefix string, a slog.Attr) {
	v := a.Value.Resolve()
	if a.Equal(slog.Attr{}) {
		return
	}
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, inner := range v.Group() {
			h.attr(b, prefix, inner)
		}
		return
	}
	b.WriteString(" " + h.paint(faint, tty.Plain(prefix+a.Key)+"=") + quoted(v.String()))
}
