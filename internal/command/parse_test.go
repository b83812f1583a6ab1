package command

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Line{
		"!help":                  {"help", ""},
		"  !HELP me  now ":       {"help", "me  now"},
		"!thread_mode room":      {"threadmode", "room"},
		"!Thread-Mode\troom":     {"threadmode", "room"},
		"!threadmode\nroom":      {"threadmode", "room"},
		"!stop\u00a0it":          {"stop", "it"},
		"!":                      {"", ""},
		"! help":                 {"", "help"},
		"!!!":                    {"!!", ""},
		"!ÄNDERE Das":            {"ändere", "Das"},
		"!config set a.b {c: d}": {"config", "set a.b {c: d}"},
	} {
		if got, ok := Parse(text); !ok || got != want {
			t.Errorf("%q is %+v, %v; want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "help", "🎤 !help", "a!b", "¡help"} {
		if got, ok := Parse(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"!help", "! ", "!a_b-c d", "!\x00\xff", "!é\u00a0x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, ok := Parse(text)
		if ok != strings.HasPrefix(strings.TrimSpace(text), "!") {
			t.Fatalf("%q is a command: %v", text, ok)
		}
		if line.Args != strings.TrimSpace(line.Args) || strings.ContainsAny(line.Name, "_- \t\n") {
			t.Errorf("%q is %+v", text, line)
		}
		if !utf8.ValidString(text) {
			return
		}
		if again, still := Parse("!" + line.Name + " " + line.Args); ok && (!still || again != line) {
			t.Errorf("%q is %+v and then %+v", text, line, again)
		}
	})
}

func TestRegistryRefuses(t *testing.T) {
	t.Parallel()
	whole := Help()
	twice, nobody, nameless := whole, whole, whole
	twice.Name, nobody.Who, nameless.Name = "He_lp", "", "_-"
	for name, list := range map[string][]Command{
		"nothing": nil, "the same twice": {whole, twice}, "for nobody": {nobody}, "without a name": {nameless}, "not whole": {{Name: "x", Who: Anybody}},
	} {
		if _, err := NewRegistry(list...); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
