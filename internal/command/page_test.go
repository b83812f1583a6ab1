package command

import (
	"os"
	"strings"
	"testing"
)

// The page lists what people may read instead of an answer, by its first sentence.
func TestThePageListsEveryRefusal(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference/chat-commands.md")
	must(t, err)
	for _, text := range []string{textUnknown, textAdmins, textRoomAdmins, textSpoken, textFailed, textUncertain} {
		first, _, _ := strings.Cut(text, ". ")
		if !strings.Contains(string(page), first) {
			t.Errorf("the page does not list %q", first)
		}
	}
}
