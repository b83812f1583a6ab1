package secret

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// NewHandler returns a slog handler that hands redacted records to next. Texts,
// errors and anything else that prints are redacted as they print; attributes
// whose name says that they hold a secret lose their value. A nil r is Default.
func NewHandler(next slog.Handler, r *Redactor) slog.Handler {
	if r == nil {
		r = Default
	}
	return &handler{next: next, redactor: r}
}

type handler struct {
	next     slog.Handler
	redactor *Redactor
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, h.redactor.Redact(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.next.Handle(ctx, clean)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{next: h.next.WithAttrs(h.attrs(attrs)), redactor: h.redactor}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{next: h.next.WithGroup(h.redactor.Redact(name)), redactor: h.redactor}
}

func (h *handler) attrs(attrs []slog.Attr) []slog.Attr {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return clean
}

func (h *handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	a.Key = h.redactor.Redact(a.Key)
	switch v.Kind() {
	case slog.KindGroup:
		a.Value = slog.GroupValue(h.attrs(v.Group())...)
	case slog.KindString:
		a.Value = h.text(a.Key, v.String())
	case slog.KindAny:
		a.Value = h.text(a.Key, printed(v.Any()))
	default: // numbers, times, durations and booleans carry no secret
		a.Value = v
	}
	return a
}

func (h *handler) text(name, s string) slog.Value {
	if s != "" && IsName(name) {
		return slog.StringValue(Mark)
	}
	return slog.StringValue(h.redactor.Redact(s))
}

// printed is what a handler would show of v, errors and Stringers by their own
// text; bytes as text, because JSON often travels so.
func printed(v any) string {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case json.RawMessage:
		return string(v)
	}
	return fmt.Sprintf("%+v", v)
}
