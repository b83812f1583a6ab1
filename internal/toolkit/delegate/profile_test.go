package delegate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

const checker = "---\ndescription: Checks.\ntools: [website, file.read_file]\nmodel: small\nmode: minimal\n---\nYou check {texts}.\n\n---\nStill the prompt.\n"

func TestParseProfile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, fails string }{
		"whole":               {checker, ""},
		"as little as can be": {"---\ndescription: d\n---\np", ""},
		"lines of Windows":    {"---\r\ndescription: d\r\n---\r\np", ""},
		"nothing":             {"", "must begin with"},
		"no front matter":     {"You check.", "must begin with"},
		"it does not end":     {"---\ndescription: d\nYou check.", "must begin with"},
		"no description":      {"---\nmodel: m\n---\np", "needs a description"},
		"nothing between":     {"---\n---\np", "cannot be read"},
		"too many words":      {"---\ndescription: " + strings.Repeat("d", profileWords+1) + "\n---\np", "at most 1024"},
		"another key":         {"---\ndescription: d\nrole: r\n---\np", "allowed are description, tools, model and mode"},
		"tools of a number":   {"---\ndescription: d\ntools: 3\n---\np", "cannot be read"},
		"another mode":        {"---\ndescription: d\nmode: fast\n---\np", "neither standard nor minimal"},
		"no prompt":           {"---\ndescription: d\n---\n \n", "no prompt"},
		"too long":            {"---\ndescription: d\n---\n" + strings.Repeat("p", profileBytes), "at most 65536 bytes"},
		"no text":             {"---\ndescription: d\n---\n\xff", "UTF-8"},
	} {
		p, err := parseProfile([]byte(c.text))
		if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	p, err := parseProfile([]byte(checker))
	if err != nil || p.Model != "small" || p.Mode != "minimal" || !slices.Equal(p.Tools, []string{"website", "file.read_file"}) || p.prompt != "You check {texts}.\n\n---\nStill the prompt." {
		t.Errorf("it is %+v, %v", p, err)
	}
	if p, err = parseProfile([]byte("---\ndescription: d\ntools: []\n---\np")); err != nil || p.Tools == nil || len(p.Tools) != 0 {
		t.Errorf("no tools are %#v, %v", p.Tools, err)
	}
}

func FuzzParseProfile(f *testing.F) {
	f.Add([]byte(checker))
	f.Add([]byte("---\n---\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := parseProfile(raw)
		if err == nil && (strings.TrimSpace(p.prompt) == "" || len(p.prompt) > profileBytes || strings.TrimSpace(p.Description) == "") {
			t.Errorf("%q became %+v", raw, p)
		}
	})
}

// A profile fills in what the call leaves out, and nothing outside of the workspace is
// one.
func TestProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := tool.Invocation{Workspace: filepath.Join(dir, "workspace")}
	folder := filepath.Join(in.Workspace, profileFolder)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(folder, "dir.md"), 0o700))
	must(os.WriteFile(filepath.Join(folder, "checker.md"), []byte(checker), 0o600))
	must(os.WriteFile(filepath.Join(dir, "secret.md"), []byte(checker), 0o600))
	must(os.Symlink(filepath.Join(dir, "secret.md"), filepath.Join(folder, "link.md")))
	must(syscall.Mkfifo(filepath.Join(folder, "pipe.md"), 0o600))
	got, err := applied(in, "checker", turn.Task{Text: "x"})
	if err != nil || got.Text != "x" || got.Model != "small" || !got.Minimal || len(got.Tools) != 2 || !strings.HasPrefix(got.Prompt, "You check") {
		t.Errorf("the task is %+v, %v", got, err)
	}
	if got, err = applied(in, "checker", turn.Task{Model: "large"}); err != nil || got.Model != "large" {
		t.Errorf("the task is %+v, %v", got, err)
	}
	for name, want := range map[string]string{
		"nobody": "there are: checker", "../secret": "small letters", "link": "cannot be read", "dir": "no regular file", "pipe": "no regular file", "": "small letters", "A": "small letters",
	} {
		_, err := applied(in, name, turn.Task{})
		refusal, ok := err.(*turn.Refusal)
		if !ok || !strings.Contains(refusal.Text, want) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, both := range []turn.Task{{Prompt: "p"}, {Tools: []string{}}} {
		if _, err := applied(in, "checker", both); err == nil || !strings.Contains(err.Error(), "give either") {
			t.Errorf("%+v: %v", both, err)
		}
	}
}
