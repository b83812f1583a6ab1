package prompt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func helper() MinimalFacts {
	return MinimalFacts{
		DisplayName: "Helper", Name: "helper", ContextFiles: []string{"AGENTS.md", "notes/USER.md"}, MemoryFiles: []string{"MEMORY.md", "memory/"},
		Toolkits: []string{"website", "file", "website", "attachments"}, RoomName: "Operations", Room: "!r:localhost", Thread: "$root",
		Requester: "@ann:localhost", Now: noon, Required: []string{"Your last command was interrupted."},
		Instructions: []string{"Read {project} before ${changing} files.", "Be\nbrief."},
	}
}

// M09 and M10: piece by piece, in order.
func TestMinimalPieceByPiece(t *testing.T) {
	t.Parallel()
	const want = "You are Helper (agent `helper`), an agent in a Matrix chat, in minimal mode.\n" +
		"Messages come as <msg> elements; the last one is the one to answer, in plain Markdown and without such an element.\n" +
		"Your one tool is Bash, and every command of it starts in your workspace.\n" +
		"Context files loaded for you, in the workspace: `AGENTS.md`, `notes/USER.md`.\n" +
		"Your memory is in the workspace: `MEMORY.md`, `memory/`.\n" +
		"Your other tools, and your full role, instructions and guidance, are reached from Bash: run `mindroom-agent --help`.\n" +
		"Toolkits: `attachments`, `file`, `website`.\n" +
		"You are in the room Operations (!r:localhost), in the thread $root.\n" +
		"You act for @ann:localhost.\n" +
		"Today is Sunday, 1 March 2026 (time zone UTC).\n" +
		"Your last command was interrupted.\n" +
		"Read {project} before ${changing} files.\n" +
		"Be\nbrief."
	if got := Minimal(helper()); got != want {
		t.Errorf("the prompt reads\n%s\nwant\n%s", got, want)
	}
}

// What is not there has no line, and an authored identity replaces one line alone.
func TestMinimalVariants(t *testing.T) {
	t.Parallel()
	whole := strings.Split(Minimal(helper()), "\n")
	for name, c := range map[string]struct {
		change func(*MinimalFacts)
		gone   []string
		first  string
	}{
		"no files":          {func(f *MinimalFacts) { f.ContextFiles = nil }, []string{"Context files"}, whole[0]},
		"no memory":         {func(f *MinimalFacts) { f.MemoryFiles = nil }, []string{"Your memory"}, whole[0]},
		"no toolkits":       {func(f *MinimalFacts) { f.Toolkits = nil }, []string{"Toolkits"}, whole[0]},
		"nothing required":  {func(f *MinimalFacts) { f.Required = nil }, []string{"interrupted"}, whole[0]},
		"no instructions":   {func(f *MinimalFacts) { f.Instructions = []string{" "} }, []string{"{project}", "Be", "brief."}, whole[0]},
		"nowhere":           {func(f *MinimalFacts) { f.Room, f.Requester = "", "" }, []string{"in the room", "You act for"}, whole[0]},
		"an authored child": {func(f *MinimalFacts) { f.Identity = "You {only} count %d." }, nil, "You {only} count %d."},
	} {
		f := helper()
		c.change(&f)
		got := strings.Split(Minimal(f), "\n")
		want := slices.DeleteFunc(slices.Clone(whole), func(line string) bool {
			return slices.ContainsFunc(c.gone, func(part string) bool { return strings.Contains(line, part) })
		})
		want[0] = c.first
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", name, strings.Join(got, "\n"))
		}
	}
}

// Sentence 6: short whatever there is, and what is not named is counted.
func TestMinimalIsShort(t *testing.T) {
	t.Parallel()
	many := func(n int, form string) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf(form, i))
		}
		return all
	}
	f := helper()
	f.Toolkits, f.ContextFiles = many(1000, "toolkit_%d"), many(1000, "folder/file-%d.md")
	got := Minimal(f)
	for _, want := range []string{"You have 1000 toolkits; `mindroom-agent tools list`", "1000 context files are loaded for you; `mindroom-agent context list`"} {
		if !strings.Contains(got, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, got)
		}
	}
	f.ContextFiles = nil
	f.Toolkits = many(100, "toolkit_%02d") // 1407 characters
	if got := Minimal(f); !strings.Contains(got, "`toolkit_99`.") {
		t.Errorf("a roster that fits is not named:\n%s", got)
	}
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.StringN(0, 400, -1)
		f := MinimalFacts{
			DisplayName: name.Draw(r, "display name"), Name: rapid.StringMatching(`[a-z]{1,64}`).Draw(r, "name"), RoomName: name.Draw(r, "room name"),
			Room: strings.Repeat("r", rapid.IntRange(0, 255).Draw(r, "room")), Thread: strings.Repeat("t", rapid.IntRange(0, 255).Draw(r, "thread")),
			Subagent:  rapid.SampledFrom([]string{"", strings.Repeat("s", 200)}).Draw(r, "subagent"),
			Requester: strings.Repeat("p", rapid.IntRange(0, 255).Draw(r, "requester")), MemoryFiles: []string{"MEMORY.md", "memory/"}, Now: noon,
			ContextFiles: many(rapid.IntRange(0, 1000).Draw(r, "files"), "%d"), Toolkits: many(rapid.IntRange(0, 1000).Draw(r, "toolkits"), "t%d"),
		}
		if n := utf8.RuneCountInString(Minimal(f)); n >= maxMinimal {
			r.Fatalf("%d characters", n)
		}
		for _, line := range strings.Split(Minimal(f), "\n") {
			if utf8.RuneCountInString(line) > maxList {
				r.Fatalf("a line of %d characters", utf8.RuneCountInString(line))
			}
		}
	})
}

// What differs between two requests of an agent comes after what does not.
func TestMinimalKeepsTheStablePartFirst(t *testing.T) {
	t.Parallel()
	other := helper()
	other.Room, other.Thread, other.Requester, other.Now, other.Required = "!s:localhost", "", "@ben:localhost", noon.AddDate(0, 0, 3), nil
	a, b := Minimal(helper()), Minimal(other)
	common := 0
	for common < len(a) && a[common] == b[common] {
		common++
	}
	if i := strings.Index(a, "Toolkits: "); i < 0 || i > common {
		t.Errorf("the toolkits stand at %d, the common beginning has %d bytes", i, common)
	}
}
