package command

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The page lists what people may read instead of an answer, by its first sentence.
func TestThePageListsEveryRefusal(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/chat-commands.md")
	must(t, err)
	for _, text := range []string{textUnknown, textAdmins, textRoomAdmins, textSpoken, textFailed, textUncertain, textModeUsage, textNoAccess, fmt.Sprintf(textNoThread, "helper")} {
		first, _, _ := strings.Cut(text, ". ")
		if !strings.Contains(string(page), first) {
			t.Errorf("the page does not list %q", first)
		}
	}
}

// Where the answers of !mode send people, they find what minimal mode needs.
func TestTheRequirementsAreThere(t *testing.T) {
	t.Parallel()
	file, anchor, _ := strings.Cut(requirementsPage, "#")
	page, err := os.ReadFile("../../" + file)
	must(t, err)
	if heading := "\n## " + strings.ToUpper(anchor[:1]) + strings.ReplaceAll(anchor[1:], "-", " ") + "\n"; !strings.Contains(string(page), heading) {
		t.Errorf("%s has no heading %q", file, heading)
	}
}
