package config

import (
	"io/fs"
	"strings"
	"testing"
)

// FuzzInclude: any files end in a Config or in Errors, within the bounds, and every place lies in the file it names
// (invariants 1, 2 and 3).
func FuzzInclude(f *testing.F) {
	f.Add(includingEverything, "default: {provider: scripted, id: demo}\n", "display_name: A\nrole: !include_text sub/c.md\n", "text", "x: !include b.yaml\n")
	f.Add("a: !include a.yaml", "!include_dir_list sub", "!include_dir_merge_named sub", "", "[!include sub/c.md]")
	f.Add("!include a.yaml", "<<: !include b.yaml\nb: &x !include_text sub/c.md\nc: *x", "!include config.yaml", "\x00", "!include_dir_named ../..")
	f.Fuzz(func(t *testing.T, root, a, b, c, d string) {
		all := files(map[string]string{
			"config.yaml": root, "a.yaml": a, "b.yaml": b, "sub/c.md": c, "sub/d.yaml": d, "models.yaml": a, "agents/b.yaml": b, "rooms/d.yaml": d,
		})
		made := compose("/etc/mindroom/config.yaml", []byte(root), all)
		cfg, warnings, err := made.judge(toolkits(), Env{})
		if (cfg == nil) == (err == nil) {
			t.Fatalf("a Config and an error, or neither: %v", err)
		}
		inside := func(p Pos) {
			data, problem := fs.ReadFile(all, strings.TrimPrefix(p.File, "/etc/mindroom/"))
			if problem != nil {
				t.Fatalf("a place in no file: %v", p)
			}
			lines := 1
			for _, r := range string(data) {
				if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
					lines++
				}
			}
			if p.Line < 1 || p.Line > lines+1 || p.Column < 1 {
				t.Errorf("place outside its file of %d lines: %v", lines, p)
			}
		}
		if err != nil {
			for _, e := range err.(Errors) {
				inside(e.Pos)
			}
		}
		for _, w := range warnings {
			inside(w.Pos)
		}
		if len(made.source.Files) > len(all) {
			t.Errorf("more files than there are: %v", made.source.Files)
		}
	})
}
