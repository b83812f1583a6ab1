package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// bench is a folder of the operator's and a workspace.
type bench struct {
	t testing.TB
	Places
}

func newBench(t *testing.T, given ...string) *bench {
	dir := t.TempDir()
	return &bench{t, Places{Operator: filepath.Join(dir, "skills"), Given: given, Workspace: filepath.Join(dir, "workspace")}}
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// put writes a file of a skill, of the workspace where own.
func (b *bench) put(own bool, path, text string) string {
	b.t.Helper()
	at := filepath.Join(b.Operator, path)
	if own {
		at = filepath.Join(b.Workspace, "skills", path)
	}
	b.must(os.MkdirAll(filepath.Dir(at), 0o700))
	b.must(os.WriteFile(at, []byte(text), 0o600))
	return at
}

// skill is a SKILL.md that does.
func skill(name, does string) string {
	return "---\nname: " + name + "\ndescription: " + does + "\n---\nDo " + does + "."
}

// found are the names and what was left out, each in a line.
func (b *bench) found() (names []string, left string) {
	f := b.Find()
	for _, s := range f.Skills {
		names = append(names, fmt.Sprintf("%s %v", s.Name, s.Own))
	}
	var all []string
	for _, l := range f.Left {
		all = append(all, l.Error())
	}
	return names, strings.Join(all, "\n")
}

// The operator's are those that are given, in that order, then all of the workspace;
// what is no skill is left out with its reason, and costs nothing else (M14).
func TestFind(t *testing.T) {
	t.Parallel()
	b := newBench(t, "report", "greet", "grete", "broken", "away")
	b.put(false, "greet/SKILL.md", skill("greet", "greet"))
	b.put(false, "report/SKILL.md", skill("report", "report"))
	b.put(false, "unasked/SKILL.md", skill("unasked", "nothing"))
	b.put(false, "broken/SKILL.md", "no front matter")
	b.must(os.Symlink(b.Workspace, filepath.Join(b.Operator, "away")))
	b.put(true, "mine/SKILL.md", skill("mine", "this"))
	b.put(true, "also-mine/SKILL.md", skill("also-mine", "that"))
	b.put(true, "greet/SKILL.md", skill("greet", "steal"))
	b.put(true, "broken/SKILL.md", skill("broken", "fill in"))
	b.put(true, "Capitals/SKILL.md", skill("Capitals", "shout"))
	b.put(true, "empty/notes.md", "x")
	b.put(true, "README.md", "what lies here")
	b.put(true, ".hidden/SKILL.md", skill("hidden", "hide"))
	b.must(os.Symlink(filepath.Join(b.Operator, "unasked"), filepath.Join(b.Workspace, "skills", "unasked")))
	b.must(syscall.Mkfifo(filepath.Join(b.Workspace, "skills", "pipe"), 0o600))
	names, left := b.found()
	if want := []string{"report false", "greet false", "also-mine true", "mine true"}; !slices.Equal(names, want) {
		t.Errorf("found %q", names)
	}
	want := `the operator's skill grete: there is no such folder in skills/ beside the configuration file; did you mean greet?
the operator's skill broken: SKILL.md must begin with its name and description between two lines of ---, in at most 16384 bytes
the operator's skill away: away is no folder: links and files are not followed
the workspace's skill Capitals: the name of its folder must have up to 64 small letters, digits and single dashes between them
the workspace's skill broken: the configuration gives the agent a skill of this name, and that one counts: rename the folder
the workspace's skill empty: it has no SKILL.md
the workspace's skill greet: the configuration gives the agent a skill of this name, and that one counts: rename the folder
the workspace's skill pipe: pipe is no folder: links and files are not followed
the workspace's skill unasked: unasked is no folder: links and files are not followed`
	if left != want {
		t.Errorf("left out:\n%s", left)
	}
}

// Nothing of a SKILL.md is read that lies elsewhere or is no text.
func TestWhatIsNoSkillFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(os.WriteFile(filepath.Join(filepath.Dir(b.Workspace), "secret.md"), []byte(skill("away", "tell")), 0o600))
	for _, name := range []string{"away", "over", "pipe", "binary", "latin", "dir", "within"} {
		b.put(true, name+"/x.md", skill(name, "tell"))
	}
	at := func(name string) string { return filepath.Join(b.Workspace, "skills", name, MainFile) }
	b.must(os.Symlink("../../../secret.md", at("away")))
	b.must(os.Symlink("../within/x.md", at("over")))
	b.must(os.Symlink("x.md", at("within")))
	b.must(syscall.Mkfifo(at("pipe"), 0o600))
	b.must(os.WriteFile(at("binary"), []byte(skill("binary", "a\x00")), 0o600))
	b.must(os.WriteFile(at("latin"), []byte(skill("latin", "\xe4")), 0o600))
	b.must(os.Mkdir(at("dir"), 0o700))
	names, left := b.found()
	if !slices.Equal(names, []string{"within true"}) {
		t.Errorf("found %q", names)
	}
	for name, why := range map[string]string{
		"away": "cannot be read", "over": "cannot be read", "pipe": "no regular file", "dir": "no regular file", "binary": "no UTF-8 text", "latin": "no UTF-8 text",
	} {
		if !strings.Contains(left, "skill "+name+": SKILL.md") || !strings.Contains(left, why) {
			t.Errorf("%s lacks %q:\n%s", name, why, left)
		}
	}
	if strings.Contains(left, filepath.Dir(b.Workspace)) {
		t.Errorf("a reason names a place of the machine:\n%s", left)
	}
}

// What is looked at is bounded, and what is too much is said.
func TestBounds(t *testing.T) {
	t.Parallel()
	b := newBench(t, "greet")
	b.put(false, "greet/SKILL.md", skill("greet", "greet"))
	for i := range MaxSkills + 1 {
		name := fmt.Sprintf("s-%03d", i)
		b.put(true, name+"/SKILL.md", skill(name, "x"))
	}
	names, left := b.found()
	if len(names) != MaxSkills || names[0] != "greet false" || strings.Count(left, "an agent has at most 64 skills") != 2 {
		t.Errorf("found %d, left out\n%s", len(names), left)
	}
}

// Without the folders there are no skills, and only what is given is missed; a folder
// that is a link is none of the agent's.
func TestNoFolders(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if names, left := b.found(); names != nil || left != "" {
		t.Errorf("%q, %q", names, left)
	}
	b.Given = []string{"greet"}
	if _, left := b.found(); left != "the operator's skill greet: there is no folder skills/ beside the configuration file" {
		t.Errorf("left out %q", left)
	}
	b.put(false, "other/SKILL.md", skill("other", "x"))
	b.must(os.Mkdir(b.Workspace, 0o700))
	b.must(os.Symlink(b.Operator, filepath.Join(b.Workspace, "skills")))
	b.Given = nil
	if names, left := b.found(); names != nil || left != "the workspace's skills: skills is no folder: links and files are not followed" {
		t.Errorf("%q, %q", names, left)
	}
	b.Workspace = ""
	if names, left := b.found(); names != nil || left != "" {
		t.Errorf("%q, %q", names, left)
	}
}
