package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A skill's files are read by their paths in it, and nothing else is.
func TestRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, "greet", "gone")
	b.put(false, "greet/SKILL.md", greeting)
	b.put(false, "greet/references/words.md", "hello")
	b.put(false, "greet/scripts/say.py", "print()")
	b.put(false, "greet/.git/config", "x")
	b.put(false, "greet/.hidden", "x")
	b.put(false, "greet/large.md", strings.Repeat("x", MaxText+1))
	b.put(false, "unasked/SKILL.md", skill("unasked", "x"))
	b.put(true, "mine/SKILL.md", skill("mine", "this"))
	b.put(true, "gone/SKILL.md", skill("gone", "fill in"))
	b.put(true, "broken/SKILL.md", "x")
	secret := filepath.Join(filepath.Dir(b.Operator), "secret")
	b.must(os.WriteFile(secret, []byte("x"), 0o600))
	b.must(os.Symlink(secret, filepath.Join(b.Operator, "greet", "out.md")))
	b.must(os.Symlink("references/words.md", filepath.Join(b.Operator, "greet", "in.md")))
	f, err := b.Read("greet", "")
	if err != nil || f.Path != MainFile || f.Text != "# Greeting\n\n---\nSay {hello}." || f.Own || f.More || f.Folder != filepath.Join(b.Operator, "greet") ||
		!slices.Equal(f.Others, []string{"large.md", "references/words.md", "scripts/say.py"}) {
		t.Errorf("it is %+v, %v", f, err)
	}
	if f, err = b.Read("mine", "./SKILL.md"); err != nil || f.Text != "Do this." || !f.Own || f.Folder != "skills/mine" || f.Others != nil {
		t.Errorf("its own is %+v, %v", f, err)
	}
	if f, err = b.Read("greet", "references/../references/words.md"); err != nil || f.Text != "hello" || f.Path != "references/words.md" || f.Others != nil {
		t.Errorf("a reference is %+v, %v", f, err)
	}
	if f, err = b.Read("greet", "in.md"); err != nil || f.Text != "hello" {
		t.Errorf("a link within is %+v, %v", f, err)
	}
	for _, c := range []struct{ name, file, want string }{
		{"greet", "../unasked/SKILL.md", "nothing outside"}, {"greet", secret, "nothing outside"}, {"greet", "..", "nothing outside"}, {"greet", "a\x00", "nothing outside"},
		{"greet", "out.md", "cannot be read"}, {"greet", "references", "no regular file"}, {"greet", "none.md", "has no none.md"}, {"greet", "large.md", "more than the 1048576 bytes"},
		{"unasked", "", `no skill "unasked"; you have: greet, mine`}, {"gone", "", `no skill "gone"`}, {"../skills/greet", "", "no skill"}, {"", "", "no skill"}, {"greet/references", "", "no skill"},
		{"broken", "", "broken cannot be used: SKILL.md must begin"},
	} {
		f, err := b.Read(c.name, c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), filepath.Dir(b.Operator)) {
			t.Errorf("%q %q: %+v, %v", c.name, c.file, f, err)
		}
	}
	b.Given, b.Workspace = nil, ""
	if _, err = b.Read("mine", ""); err == nil || !strings.Contains(err.Error(), "you have none") {
		t.Errorf("without a workspace: %v", err)
	}
}

// A list of files ends somewhere and says so.
func TestFilesAreBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put(true, "mine/SKILL.md", skill("mine", "this"))
	for i := range MaxFiles + 1 {
		b.put(true, fmt.Sprintf("mine/%03d.md", i), "x")
	}
	if f, err := b.Read("mine", ""); err != nil || len(f.Others) != MaxFiles || !f.More {
		t.Errorf("%d files, %v, %v", len(f.Others), f.More, err)
	}
}

// Whatever a model names, nothing but the files of skills is read.
func FuzzRead(f *testing.F) {
	for _, seed := range [][2]string{{"mine", "../../../secret"}, {"mine", "link"}, {"mine", "link/secret"}, {"..", "secret"}, {".", "../../secret"}, {"away", "secret"}, {"mine", "/secret"}, {"mine", "a/../../x"}} {
		f.Add(seed[0], seed[1])
	}
	dir := f.TempDir()
	b := &bench{f, Places{Operator: filepath.Join(dir, "skills"), Workspace: filepath.Join(dir, "workspace")}}
	b.put(true, "mine/SKILL.md", skill("mine", "this"))
	b.must(os.WriteFile(filepath.Join(dir, "secret"), []byte("hush"), 0o600))
	b.must(os.WriteFile(filepath.Join(b.Workspace, "secret"), []byte("hush"), 0o600))
	b.must(os.Symlink(dir, filepath.Join(b.Workspace, "skills", "mine", "link")))
	b.must(os.Symlink(dir, filepath.Join(b.Workspace, "skills", "away")))
	f.Fuzz(func(t *testing.T, name, file string) {
		got, err := b.Read(name, file)
		if err == nil && (got.Text != "Do this." || name != "mine") || err != nil && strings.Contains(err.Error(), dir) {
			t.Errorf("%q %q: %+v, %v", name, file, got, err)
		}
	})
}
