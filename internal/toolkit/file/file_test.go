package file

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mindroom/internal/tool"
)

func TestSaveAndRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.ok("save_file", args{"file_name": "a/b/notes.txt", "contents": "one\ntwo"})
	if r["bytes"] != 7.0 || r["lines"] != 2.0 || r["file_name"] != "a/b/notes.txt" {
		t.Errorf("save_file = %v", r)
	}
	for _, name := range []string{"a/b/notes.txt", "./a//b/../b/notes.txt", filepath.Join(b.dir, "a/b/notes.txt")} {
		if r := b.ok("read_file", args{"file_name": name}); r["content"] != "one\ntwo" || r["file_name"] != "a/b/notes.txt" {
			t.Errorf("read_file(%s) = %v", name, r)
		}
	}
	b.ok("save_file", args{"file_name": "a/b/notes.txt", "contents": "ü"})
	if got := b.content("a/b/notes.txt"); got != "ü" {
		t.Errorf("after an overwrite: %q", got)
	}
	message := b.fails("save_file", args{"file_name": "a/b/notes.txt", "contents": "x", "overwrite": false})
	if !strings.Contains(message, "overwrite") || b.content("a/b/notes.txt") != "ü" {
		t.Errorf("overwrite=false: %q, %q", message, b.content("a/b/notes.txt"))
	}
	b.ok("save_file", args{"file_name": "new.txt", "contents": "", "overwrite": false})
	if b.content("new.txt") != "" {
		t.Error("an empty file is not empty")
	}
	// Invariant 2: nothing is left beside the files.
	if r := b.ok("search_files", args{"pattern": "*.part"}); len(r["files"].([]any)) != 0 {
		t.Errorf("left behind: %v", r["files"])
	}
	b.untouched()
}

func TestModeIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(b.dir, "run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	b.ok("save_file", args{"file_name": "run.sh", "contents": "#!/bin/sh\ntrue\n"})
	if info, err := os.Stat(filepath.Join(b.dir, "run.sh")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode = %v, %v", info.Mode(), err)
	}
}

// Invariant 1.
func TestConfined(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.link("../secret.txt", "out")
	b.link("..", "up")
	b.link(filepath.Dir(b.dir), "absolute")
	b.link("out", "twice")
	b.put("in.txt", "inside")
	b.link("in.txt", "alias")
	for _, name := range []string{
		"../secret.txt", "a/../../secret.txt", filepath.Join(filepath.Dir(b.dir), "secret.txt"), "/etc/passwd", "out", "twice",
		"up/secret.txt", "absolute/secret.txt", "up/workspace/in.txt", "", "a\x00b", "..", "/",
	} {
		b.fails("read_file", args{"file_name": name})
		b.fails("read_file_chunk", args{"file_name": name, "start_line": 1, "end_line": 1})
		b.fails("save_file", args{"file_name": name, "contents": "x"})
		b.fails("save_file", args{"file_name": name, "contents": "x", "overwrite": false})
		b.fails("replace_file_chunk", args{"file_name": name, "start_line": 1, "end_line": 1, "chunk": "x"})
	}
	for _, name := range []string{"..", "up", "absolute", "/", "/etc"} {
		b.fails("list_files", args{"directory": name})
	}
	b.fails("save_file", args{"file_name": "up/new.txt", "contents": "x"})
	b.fails("save_file", args{"file_name": "up/sub/new.txt", "contents": "x"})
	if r := b.ok("search_files", args{"pattern": "**/secret*"}); len(r["files"].([]any)) != 0 {
		t.Errorf("a search left the workspace: %v", r["files"])
	}
	if r := b.ok("read_file", args{"file_name": "alias"}); r["content"] != "inside" {
		t.Errorf("a link inside the workspace reads %v", r)
	}
	if m := b.fails("save_file", args{"file_name": "alias", "contents": "x"}); !strings.Contains(m, "symbolic link") {
		t.Errorf("writing through a link: %s", m)
	}
	b.untouched()
}

// Invariant 3: none of these holds the call.
func TestOnlyRegularText(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("nul.bin", "a\x00b")
	b.put("latin.txt", "\xfc")
	b.put("dir/x", "")
	if err := syscall.Mkfifo(filepath.Join(b.dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"nul.bin": "binary", "latin.txt": "binary", "dir": "directory", "pipe": "regular", "none": "list_files"} {
		if m := b.fails("read_file", args{"file_name": name}); !strings.Contains(m, want) {
			t.Errorf("read_file(%s): %q, want %q", name, m, want)
		}
	}
	if m := b.fails("save_file", args{"file_name": "pipe", "contents": "x"}); !strings.Contains(m, "regular") {
		t.Errorf("save_file(pipe): %q", m)
	}
	b.fails("save_file", args{"file_name": "dir", "contents": "x"})
	b.fails("save_file", args{"file_name": "new/", "contents": "x"})
	b.fails("list_files", args{"directory": "nul.bin"})
}

// Invariant 4.
func TestBounds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("big.txt", strings.Repeat("line\n", maxText/5+1))
	if m := b.fails("read_file", args{"file_name": "big.txt"}); !strings.Contains(m, "read_file_chunk") {
		t.Errorf("a big file: %q", m)
	}
	if r := b.ok("read_file_chunk", args{"file_name": "big.txt", "start_line": 2, "end_line": 3}); r["content"] != "line\nline\n" {
		t.Errorf("a chunk of a big file: %v", r)
	}
	b.fails("read_file_chunk", args{"file_name": "big.txt", "start_line": 1, "end_line": 1 << 30})
	b.fails("replace_file_chunk", args{"file_name": "big.txt", "start_line": 1, "end_line": 1, "chunk": ""})
	b.fails("save_file", args{"file_name": "x", "contents": strings.Repeat("a", maxText+1)})
	for i := range maxListed + 1 {
		b.put("many/"+strings.Repeat("x", i/100)+string(rune('a'+i%26))+strings.Repeat("y", i%100), "")
	}
	if r := b.ok("list_files", args{"directory": "many"}); r["truncated"] != true || len(r["files"].([]any)) != maxListed {
		t.Errorf("a long list: %v of %d", r["truncated"], len(r["files"].([]any)))
	}
	if r := b.ok("search_files", args{"pattern": "many/*"}); r["truncated"] != true || len(r["files"].([]any)) != maxListed {
		t.Errorf("a long search: %v of %d", r["truncated"], len(r["files"].([]any)))
	}
}

func TestNoWorkspace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.dir = ""
	out := b.call("list_files", args{})
	if out.State != tool.StateFailed || !strings.Contains(out.Fault.Message, "no workspace") {
		t.Errorf("outcome = %s %v", out.State, out.Fault)
	}
}

func TestListAndSearch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, name := range []string{"b.py", "a.txt", "src/x.py", "src/deep/y.py", "src/deep/er/z.py", ".hidden/h.py"} {
		b.put(name, "")
	}
	list := func(r map[string]any) string {
		var names []string
		for _, n := range r["files"].([]any) {
			names = append(names, n.(string))
		}
		return strings.Join(names, " ")
	}
	if got := list(b.ok("list_files", args{})); got != ".hidden/ a.txt b.py src/" {
		t.Errorf("list_files = %s", got)
	}
	if got := list(b.ok("list_files", args{"directory": "src"})); got != "deep/ x.py" {
		t.Errorf("list_files(src) = %s", got)
	}
	for pattern, want := range map[string]string{
		"*.py":            ".hidden/h.py b.py src/deep/er/z.py src/deep/y.py src/x.py",
		"src/*.py":        "src/x.py",
		"src/**/*.py":     "src/deep/er/z.py src/deep/y.py src/x.py",
		"**/deep":         "src/deep/",
		"./src/?.py":      "src/x.py",
		"src/**/er/**":    "src/deep/er/ src/deep/er/z.py",
		"[ab].*":          "a.txt b.py",
		"nothing/*":       "",
		"**/**/**/**/z.*": "src/deep/er/z.py",
	} {
		if got := list(b.ok("search_files", args{"pattern": pattern})); got != want {
			t.Errorf("search_files(%s) = %s, want %s", pattern, got, want)
		}
	}
	for _, pattern := range []string{"", "/etc/*", "../*", "a//b", "[", strings.Repeat("*/", 40) + "x"} {
		b.fails("search_files", args{"pattern": pattern})
	}
}
