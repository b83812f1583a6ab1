package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	const plain = "known-to-the-redactor"
	r := &Redactor{}
	r.Add(plain)
	var out strings.Builder
	log := slog.New(NewHandler(slog.NewJSONHandler(&out, nil), r))
	log = log.With("with", plain).WithGroup("group " + plain)
	log.Info("message "+plain,
		"text", "x "+plain, "err", fmt.Errorf("failed: %w", errors.New(plain)), "bytes", []byte(plain), "raw", json.RawMessage(`"`+plain+`"`),
		"struct", struct{ A, b string }{plain, plain}, "map", map[string]any{"k": []string{plain}}, "key "+plain, 1,
		slog.Group("inner", "text", plain, "password", "unknown"), "api_key", "unknown", "token_count", "seen", "count", 7, "nil", nil)
	if strings.Contains(out.String(), plain) || strings.Contains(out.String(), "unknown") {
		t.Errorf("the log shows %s", out.String())
	}
	for _, want := range []string{`"count":7`, `"token_count":"seen"`, `"msg":"message [redacted]"`, `"err":"failed: [redacted]"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %s: %s", want, out.String())
		}
	}
	if log.Enabled(t.Context(), slog.LevelDebug) {
		t.Error("the handler ignores the level of the next")
	}
	if NewHandler(slog.DiscardHandler, nil).(*handler).redactor != Default {
		t.Error("nil is not Default")
	}
}
