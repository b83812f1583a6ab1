package config

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzLoad holds invariants 1 and 3 for any text.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/refused/*.yaml", "testdata/accepted/*.yaml"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			f.Add(seed(f, path))
		}
	}
	f.Add([]byte(minimal))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, warnings, err := Parse("config.yaml", data, toolkits(), Env{})
		var faults Errors
		switch {
		case err == nil && c == nil:
			t.Fatal("neither a Config nor an error")
		case err != nil && c != nil:
			t.Fatal("a Config came with an error")
		case err != nil && (!errors.As(err, &faults) || len(faults) == 0):
			t.Fatalf("not Errors: %v", err)
		}
		lines := strings.Count(string(data), "\n") + 1
		// YAML also ends lines at \r, U+0085, U+2028 and U+2029.
		for _, mark := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
			lines += strings.Count(string(data), mark)
		}
		inside := func(p Pos) {
			if p.File != "config.yaml" || p.Line < 1 || p.Line > lines+1 || p.Column < 1 {
				t.Errorf("place outside the file of %d lines: %v", lines, p)
			}
		}
		for _, e := range faults {
			inside(e.Pos)
		}
		for _, w := range warnings {
			inside(w.Pos)
		}
		if c != nil {
			for _, name := range c.AgentNames() {
				c.EffectiveTools(name)
			}
		}
	})
}

func seed(f *testing.F, path string) []byte {
	f.Helper()
	data, err := readFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// FuzzDotenv: any file is read or refused, with lines inside it.
func FuzzDotenv(f *testing.F) {
	f.Add("A=1\nexport B='x'\nC=\"y\\n\"\n")
	f.Add("A='\n=\n\x00=1")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := parseDotenv(".env", []byte(text))
		lines := strings.Count(text, "\n") + 1
		var faults Errors
		if errors.As(err, &faults) {
			for _, e := range faults {
				if e.Pos.Line < 1 || e.Pos.Line > lines {
					t.Errorf("line %d of %d", e.Pos.Line, lines)
				}
			}
		}
		for name, v := range values {
			if !variableName.MatchString(name) || v.line < 1 || v.line > lines {
				t.Errorf("%q: %+v", name, v)
			}
		}
	})
}
