package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	// shellBlock is a fenced block that people type into a shell, or one indented.
	shellBlock = regexp.MustCompile("(?ms)^```(?:sh|ini|)\n(.*?)^```$|((?:^    [^\n]*\n)+)")
	// codeSpan is inline code that begins with the command.
	codeSpan = regexp.MustCompile("`((?:bin/)?mindroom [^`\n]+)`")
	// typedCommand finds the command where a shell would run it: first, or after sudo, a
	// variable, or what joins commands.
	typedCommand = regexp.MustCompile(`(?:^|[|;&(]|exec |ExecStart=)\s*(?:sudo (?:-u \w+ )?)?(?:[A-Z_]+=\S+ )*(?:/usr/local/bin/|bin/)?mindroom( [^|;&#)<>\n]*|$)`)
	// quotedText is what a shell takes for one word, or part of one.
	quotedText = regexp.MustCompile(`\$\([^)]*\)|'[^']*'|"[^"]*"`)
)

// Every command that a page tells people to type exists, with the flags and as
// many arguments as it is given there.
func TestDocumentedCommandsExist(t *testing.T) {
	t.Parallel()
	n := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "bin" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".md" || d.Name() == "commands.md" {
			return nil // that page is written from the commands
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(raw)
		for _, b := range shellBlock.FindAllStringSubmatch(text, -1) {
			n += judge(t, path, b[1]+b[2])
		}
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			n++
			_, rest, _ := strings.Cut(m[1], "mindroom ")
			if err := parses(rest, false); err != nil {
				t.Errorf("%s: `%s`: %v", path, m[1], err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 60 {
		t.Errorf("only %d commands were found", n)
	}
}

// And so do the examples of the commands' own help.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		judge(t, cmd.CommandPath(), strings.ReplaceAll(cmd.Example, "   ", "#"))
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&ui{lookup: func(string) (string, bool) { return "", false }}))
}

// judge finds the commands in what people type, and counts them.
func judge(t *testing.T, where, text string) (n int) {
	t.Helper()
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		for _, m := range typedCommand.FindAllStringSubmatch(quotedText.ReplaceAllStringFunc(line, word), -1) {
			n++
			if err := parses(m[1], true); err != nil {
				t.Errorf("%s: %q: %v", where, line, err)
			}
		}
	}
	return n
}

// word is a quoted text as one word; what stands between the quotes of a shell of
// its own is typed too.
func word(quoted string) string {
	if inner, ok := strings.CutPrefix(strings.Trim(quoted, `'"`), "exec "); ok {
		return "; " + nested.ReplaceAllString(inner, "WORD")
	}
	return "WORD"
}

// nested is a substitution inside quotes.
var nested = regexp.MustCompile(`\$\([^)]*\)`)

// parses says what is wrong with a command line. Inline code may leave arguments
// out, and name several commands at once, as "scripts ls|show".
func parses(line string, whole bool) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	root := newRoot(&ui{lookup: func(string) (string, bool) { return "", false }})
	root.SilenceErrors = true
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if cmd == root {
		return fmt.Errorf("there is no command %q", words[0])
	}
	switch err := cmd.ParseFlags(rest); {
	case errors.Is(err, pflag.ErrHelp):
		return nil
	case err != nil:
		return err
	}
	if !whole || cmd.Args == nil {
		return unknownBelow(cmd)
	}
	return cmd.Args(cmd, cmd.Flags().Args())
}

// unknownBelow says when a command that only holds others got another word.
func unknownBelow(cmd *cobra.Command) error {
	if cmd.HasAvailableSubCommands() {
		return cmd.Args(cmd, cmd.Flags().Args())
	}
	return nil
}

func TestParses(t *testing.T) {
	t.Parallel()
	for line, good := range map[string]bool{
		"scripts ls --all": true, "scripts logs RUN -f": true, "backup --workspaces there": true, "run --config x": true, "scripts --help": true,
		"scripts lss": false, "scripts ls --al": false, "backup": false, "backups x": false, "scripts cancel": false, "explain a b c": false,
	} {
		if err := parses(line, true); (err == nil) != good {
			t.Errorf("%q: %v", line, err)
		}
	}
}
