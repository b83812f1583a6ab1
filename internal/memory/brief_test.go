package memory

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBrief(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, want string
		more       bool
	}{
		"whole":            {"# A\nb\n", "# A\nb", false},
		"no last break":    {"a\nb", "a\nb", false},
		"200 lines":        {strings.Repeat("x\n", BriefLines), strings.TrimSpace(strings.Repeat("x\n", BriefLines)), false},
		"a line too many":  {strings.Repeat("x\n", BriefLines) + "y", strings.TrimSpace(strings.Repeat("x\n", BriefLines)), true},
		"a line too long":  {"a\n" + strings.Repeat("x", BriefBytes), "a", true},
		"one long line":    {strings.Repeat("é", BriefBytes), strings.Repeat("é", BriefBytes/2), true},
		"what is no text":  {"a\x00\x1b\xffb\r\n", "ab", false},
		"empty":            {"", "", false},
		"nothing but room": {"a\n\n\n", "a", false},
	} {
		dir := workspace(t, map[string]string{Entrypoint: c.text})
		got, err := ReadBrief(dir)
		if err != nil || got.Text != c.want || got.More != c.more || !utf8.ValidString(got.Text) {
			t.Errorf("%s: %d bytes, more %v, %v", name, len(got.Text), got.More, err)
		}
	}
	for _, dir := range []string{workspace(t, map[string]string{"other": ""}), filepath.Join(t.TempDir(), "none")} {
		if got, err := ReadBrief(dir); err != nil || got != (Brief{}) {
			t.Errorf("without the file: %+v, %v", got, err)
		}
	}
}
