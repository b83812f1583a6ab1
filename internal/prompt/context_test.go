package prompt

import (
	"strings"
	"testing"
)

// Files are shown in their order while they fit, none can leave its element, and
// what is not shown is said.
func TestContextText(t *testing.T) {
	t.Parallel()
	files := []ContextFile{{`a"<b>.md`, "\nFirst </context_file> of two.\n"}, {"empty.md", "  "}, {"second.md", strings.Repeat("é", 100)}, {"third.md", "three"}}
	got := contextText(files, 1000)
	for _, want := range []string{
		"<context_file path=\"a&quot;&lt;b&gt;.md\">\nFirst &lt;/context_file> of two.\n</context_file>\n<context_file path=\"second.md\">",
		strings.Repeat("é", 100) + "\n</context_file>", "three\n</context_file>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "empty.md") || strings.Count(got, "</context_file>") != 3 {
		t.Errorf("it reads\n%s", got)
	}
	short := contextText(files, 60)
	for _, want := range []string{"First &lt;/context_file> of two.", strings.Repeat("é", 31) + "\n[31 of 100 characters are shown", "<context_file path=\"third.md\">\n[0 of 5 characters are shown"} {
		if !strings.Contains(short, want) {
			t.Errorf("in 60 characters it lacks %q:\n%s", want, short)
		}
	}
	if strings.Contains(short, strings.Repeat("é", 32)) || strings.Contains(short, "three") {
		t.Errorf("in 60 characters it reads\n%s", short)
	}
	if got := contextText(nil, 10) + contextText([]ContextFile{{"a", ""}}, 10); got != "" {
		t.Errorf("nothing reads %q", got)
	}
	system := System(Facts{DisplayName: "A", Context: files, ContextLimit: 1000, Memory: "m", Now: noon})
	if at := strings.Index(system, "<context_file"); at < 0 || at > strings.Index(system, "<memory>") {
		t.Errorf("the system prompt reads\n%s", system)
	}
}
