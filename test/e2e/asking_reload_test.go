//go:build goolm

package e2e

import (
	"strings"
	"testing"

	"mindroom/internal/person"
)

// An agent is removed while a call of its answer and one of its script wait:
// both questions end and say so, nothing runs, and who decides later is told (S19).
func TestQuestionsOfARemovedAgent(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna", "ben", "ghost")
	anna := people["anna"]
	h := newAsker(t, asking, page.url, people)
	h.env = append(h.env, "MINDROOM_SANDBOX_EXECUTION_MODE=local")
	h.start()
	room := h.enter(anna)
	started, err := anna.Send(h.within(), room, "start "+page.url)
	h.must(err)
	h.answer(anna, room, started, "It runs.")
	h.question(anna, room, 1, "pending")
	_, err = anna.Send(h.within(), room, "read "+page.url+"/page")
	h.must(err)
	direct := h.question(anna, room, 2, "pending")

	named := strings.NewReplacer("  watcher:\n    display_name: Watcher", "  helper:\n    display_name: Helper", "@ANNA@", anna.UserID,
		"@BEN@", people["ben"].UserID, "@GHOST@", people["ghost"].UserID)
	h.put("config.yaml", named.Replace(asking))
	for n := 1; n <= 2; n++ {
		q := h.question(anna, room, n, "denied")
		if by := q.card.Content["resolved_by"]; by != nil || !strings.Contains(q.text.Body(), "Withdrawn") || !strings.Contains(q.text.Body(), "agent") {
			t.Errorf("question %d ended by %v: %q", n, by, q.text.Body())
		}
	}
	_, err = anna.React(h.within(), room, direct.text.ID, "✅")
	h.must(err)
	h.until(anna, room, "the late decision is told", func(_, messages []person.Event) bool {
		for _, m := range messages {
			if strings.HasPrefix(m.Body(), anna.UserID+": `website.read_url` is over: withdrawn") {
				return true
			}
		}
		return false
	})
	if page.read() != 0 {
		t.Errorf("read %d times", page.read())
	}
}

// The tool that two waiting calls ask about is taken from the agent: both questions
// end within seconds and say why. The script hears it and goes on, and so does the
// answer; neither call is made (S14, S19).
func TestQuestionsOfARemovedTool(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna", "ben", "ghost")
	anna := people["anna"]
	h := newAsker(t, asking, page.url, people)
	h.env = append(h.env, "MINDROOM_SANDBOX_EXECUTION_MODE=local")
	h.start()
	room := h.enter(anna)
	started, err := anna.Send(h.within(), room, "start "+page.url)
	h.must(err)
	h.answer(anna, room, started, "It runs.")
	h.question(anna, room, 1, "pending")
	asked, err := anna.Send(h.within(), room, "read "+page.url+"/page")
	h.must(err)
	h.question(anna, room, 2, "pending")

	named := strings.NewReplacer("      - website: {allow_private_addresses: true}\n", "", "allowed_tools: [website]", "allowed_tools: []",
		"@ANNA@", anna.UserID, "@BEN@", people["ben"].UserID, "@GHOST@", people["ghost"].UserID)
	h.put("config.yaml", named.Replace(asking))
	for n := 1; n <= 2; n++ {
		q := h.question(anna, room, n, "denied")
		if by := q.card.Content["resolved_by"]; by != nil || !strings.Contains(q.text.Body(), "watcher does not have website.read_url any more") {
			t.Errorf("question %d ended by %v: %q", n, by, q.text.Body())
		}
	}
	h.answer(anna, room, asked, "It did not read")
	select {
	case told := <-page.told:
		if told[0] != "first" || strings.HasPrefix(told[1], "read ") {
			t.Errorf("the script says %q", told)
		}
	case <-h.within().Done():
		t.Error("the script did not hear of it")
	}
	if page.read() != 0 {
		t.Errorf("read %d times", page.read())
	}
}
