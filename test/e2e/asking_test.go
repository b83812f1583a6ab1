//go:build goolm

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/person"
)

// asking is an agent whose calls need an approval, for two people of whom one
// asks; the other is a bridge's ghost of a third, who is in the room too.
const asking = `
models:
  default: {provider: scripted, id: asking, extra_kwargs: {rules: rules.yaml}}
agents:
  watcher:
    display_name: Watcher
    rooms: [operations]
    tools:
      - website: {allow_private_addresses: true}
      - matrix_message
      - script: {allowed_tools: [website]}
authorization:
  room_permissions: {operations: ["@ANNA@", "@BEN@"]}
  aliases: {"@ANNA@": ["@GHOST@"]}
tool_approval:
  rules:
    - {match: read_url, action: require_approval}
    - {match: matrix_message, action: require_approval}
defaults: {tools: []}
`

const askingRules = `
version: 1
rules:
  - name: read
    when: {user: '\bread (http[^\s<]+)'}
    call: [{tool: read_url, args: {url: '${1}'}}]
  - name: pass on
    when: {user: '(?s)pass on (.*)'}
    call: [{tool: matrix_message, args: {message: '${1}'}}]
  - name: start
    when: {user: '\bstart (http[^\s<]+)'}
    call: [{tool: start_script, args: {name: asks, source: {file: script.py}}}]
  - name: it read
    when: {result: {tool: read_url, failed: false}}
    say: 'It says: ${result:/0/content}'
  - name: it did not
    when: {result: {tool: read_url}}
    say: 'It did not read: ${result}'
  - name: passed on
    when: {result: {tool: matrix_message, failed: false}}
    say: 'Passed on.'
  - name: started
    when: {result: {tool: start_script, failed: false}}
    say: 'It runs.'
`

// askingScript makes two calls and tells the page how each ended.
const askingScript = `
import urllib.parse, urllib.request
from mindroom.script_sdk import MindRoomTools, MindRoomToolCallError

tools = MindRoomTools()
for name in ("first", "second"):
    try:
        said = "read " + tools.call("website", "read_url", url="@SITE@/page")[0]["content"]
    except MindRoomToolCallError as error:
        said = f"{error.kind} {error.retryable} {error}"
    urllib.request.urlopen("@SITE@/told/" + name + "?" + urllib.parse.quote(said))
`

// newAsker is a house with the rules and the script, which speaks to site.
func newAsker(t *testing.T, config, site string, people map[string]*person.Client) *house {
	t.Helper()
	h := newHouse(t, config, askingRules, people)
	h.must(os.WriteFile(filepath.Join(h.folder, "script.py"), []byte(strings.ReplaceAll(askingScript, "@SITE@", site)), 0o600))
	return h
}

// counted is a page that counts its readers, and hears what a script says.
type counted struct {
	url   string
	reads atomic.Int64
	told  chan [2]string
}

func newCounted(t *testing.T) *counted {
	c := &counted{told: make(chan [2]string, 10)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, ok := strings.CutPrefix(r.URL.Path, "/told/"); ok {
			said, err := url.QueryUnescape(r.URL.RawQuery)
			if err != nil {
				t.Error(err)
			}
			c.told <- [2]string{name, said}
			return
		}
		c.reads.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.WriteString(w, "all is well")
	}))
	c.url = server.URL
	t.Cleanup(server.Close)
	return c
}

func (c *counted) read() int { return int(c.reads.Load()) }

// heard is what the script says next, which must be of that name.
func (c *counted) heard(ctx context.Context, name string) string {
	select {
	case said := <-c.told:
		if said[0] == name {
			return said[1]
		}
		return "not " + name + " but " + said[0]
	case <-ctx.Done():
		return "nothing"
	}
}

// question is a card as it is shown now, both ways.
type question struct{ card, text person.Event }

func (q question) status() string { s, _ := q.card.Content["status"].(string); return s }

// questions are the cards of a room, oldest first.
func questions(raw, messages []person.Event) []question {
	var all []question
	for _, e := range raw {
		if e.Type != approval.EventType {
			continue
		}
		if e.Replaces() == "" {
			q := question{card: e}
			for _, m := range messages {
				if m.Content[approval.KeyCard] == e.Content["approval_id"] && m.Content["msgtype"] != "m.file" {
					q.text = m
				}
			}
			all = append(all, q)
			continue
		}
		for i := range all {
			if fresh, ok := e.Content["m.new_content"].(map[string]any); ok && all[i].card.ID == e.Replaces() {
				all[i].card.Content = fresh
			}
		}
	}
	return all
}

// question waits until the n-th card has a status, both ways.
func (h *house) question(c *person.Client, room string, n int, status string) (q question) {
	h.t.Helper()
	h.until(c, room, fmt.Sprintf("card %d is %s", n, status), func(raw, messages []person.Event) bool {
		all := questions(raw, messages)
		if len(all) < n {
			return false
		}
		q = all[n-1]
		return q.status() == status && q.text.ID != "" && (status == "pending") == strings.Contains(q.text.Body(), "Approval required")
	})
	return q
}

func replyTo(body, event string) map[string]any {
	return map[string]any{"msgtype": "m.text", "body": body, "m.relates_to": map[string]any{"m.in_reply_to": map[string]any{"event_id": event}}}
}

// answer waits for the finished answer in the thread of a message and returns
// its text.
func (h *house) answer(c *person.Client, room, asked, has string) {
	h.t.Helper()
	h.until(c, room, "an answer with "+has, func(_, messages []person.Event) bool {
		for _, m := range messages {
			if m.Sender != c.UserID && m.Content[approval.KeyCard] == nil && finished(m) && strings.Contains(m.Body(), has) && (m.ThreadRoot() == asked) {
				return true
			}
		}
		return false
	})
}

// A direct call waits for the person who asked: another one's ✅ does nothing and
// is told so, a restart changes nothing, the approval makes it run once, and a
// reply denies the next (S12, S18, M28).
func TestAskingBeforeADirectCall(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna", "ben", "ghost")
	anna, ben, ghost := people["anna"], people["ben"], people["ghost"]
	h := newAsker(t, asking, page.url, people)
	h.start()
	room := h.enter(anna, ben)
	h.must(anna.Invite(h.within(), room, ghost.UserID))
	_, err := ghost.Join(h.within(), room)
	h.must(err)

	asked, err := anna.Send(h.within(), room, "read "+page.url+"/page")
	h.must(err)
	first := h.question(anna, room, 1, "pending")
	if first.card.Content["approver_user_id"] != anna.UserID || first.card.ThreadRoot() != asked || first.text.ThreadRoot() != asked {
		t.Errorf("the card is %v", first.card.Content)
	}
	_, err = ben.React(h.within(), room, first.text.ID, "✅")
	h.must(err)
	h.until(ben, room, "the other person is told", func(_, messages []person.Event) bool {
		for _, m := range messages {
			if strings.HasPrefix(m.Body(), ben.UserID+": Only "+anna.UserID+" can decide") {
				return true
			}
		}
		return false
	})
	h.stop()
	h.start()
	if q := h.question(anna, room, 1, "pending"); q.card.ID != first.card.ID || page.read() != 0 {
		t.Errorf("after the restart the card is %s, read %d times", q.card.ID, page.read())
	}
	_, err = anna.React(h.within(), room, first.text.ID, "✅")
	h.must(err)
	h.answer(anna, room, asked, "It says: all is well")
	if done := h.question(anna, room, 1, "approved"); page.read() != 1 || done.card.Content["resolved_by"] != anna.UserID {
		t.Errorf("read %d times, the card is %v", page.read(), done.card.Content)
	}

	asked, err = anna.Send(h.within(), room, "read "+page.url+"/page")
	h.must(err)
	second := h.question(anna, room, 2, "pending")
	_, err = anna.SendEvent(h.within(), room, "m.room.message", replyTo("not today", second.text.ID))
	h.must(err)
	h.answer(anna, room, asked, "It did not read: approval_denied: website.read_url was denied by "+anna.UserID+": not today")
	if done := h.question(anna, room, 2, "denied"); page.read() != 1 || done.card.Content["resolution_reason"] != "not today" {
		t.Errorf("read %d times, the card is %v", page.read(), done.card.Content)
	}

	// The ghost of a bridge speaks for its person.
	asked, err = anna.Send(h.within(), room, "read "+page.url+"/page")
	h.must(err)
	third := h.question(anna, room, 3, "pending")
	_, err = ghost.React(h.within(), room, third.card.ID, "✅")
	h.must(err)
	h.answer(anna, room, asked, "It says: all is well")
	h.question(anna, room, 3, "approved")
}

// A script's call waits with its card: a richer client's response lets it run,
// and a reply makes it raise a denial that is not to be repeated (S12, S18, S37).
func TestAskingBeforeAScriptsCall(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna", "ben", "ghost")
	anna := people["anna"]
	h := newAsker(t, asking, page.url, people)
	h.env = append(h.env, "MINDROOM_SANDBOX_EXECUTION_MODE=local")
	h.start()
	room := h.enter(anna)
	asked, err := anna.Send(h.within(), room, "start "+page.url)
	h.must(err)
	h.answer(anna, room, asked, "It runs.")
	first := h.question(anna, room, 1, "pending")
	if first.card.Content["approval_target"] != "background_script" || !strings.Contains(first.text.Body(), "from the background script script-") {
		t.Errorf("the card is %v", first.card.Content)
	}
	_, err = anna.SendEvent(h.within(), room, approval.ResponseType, map[string]any{
		"status": "approved", "m.relates_to": map[string]any{"m.in_reply_to": map[string]any{"event_id": first.card.ID}}})
	h.must(err)
	h.question(anna, room, 1, "approved")
	second := h.question(anna, room, 2, "pending")
	if got := page.heard(h.within(), "first"); got != "read all is well" || page.read() != 1 {
		t.Errorf("the first call ended with %q, read %d times", got, page.read())
	}
	_, err = anna.SendEvent(h.within(), room, "m.room.message", replyTo("once is enough", second.text.ID))
	h.must(err)
	h.question(anna, room, 2, "denied")
	if got := page.heard(h.within(), "second"); !strings.HasPrefix(got, "approval_denied False") || !strings.Contains(got, "once is enough") || page.read() != 1 {
		t.Errorf("the second call ended with %q, read %d times", got, page.read())
	}
}

// In an encrypted room nothing of a question is in clear, and arguments that do
// not fit are an encrypted file that the person can read.
func TestAskingInAnEncryptedRoom(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben", "ghost")
	anna := people["anna"]
	h := newAsker(t, strings.Replace(asking, "authorization:", "rooms: {operations: {encrypted: true}}\nauthorization:", 1), "", people)
	h.must(anna.Secure(h.within()))
	h.start()
	room := h.enter(anna)
	long := strings.TrimSpace(strings.Repeat("many words ", 2900)) // 32 KB
	asked, err := anna.Send(h.within(), room, "pass on "+long)
	h.must(err)
	q := h.question(anna, room, 1, "pending")
	if !q.card.Encrypted || !q.text.Encrypted || q.card.Content["full_arguments_file"] == nil || q.card.Content["full_arguments_url"] != nil {
		t.Errorf("card encrypted %v, message encrypted %v, %v", q.card.Encrypted, q.text.Encrypted, q.card.Content["full_arguments_info"])
	}
	all, err := anna.Timeline(h.within(), room, 500)
	h.must(err)
	for _, e := range []person.Event{fileOf(all, q), {ID: q.card.ID, Content: map[string]any{"file": q.card.Content["full_arguments_file"]}}} {
		raw, err := anna.File(h.within(), e)
		h.must(err)
		var args struct{ Message string }
		h.must(json.Unmarshal(raw, &args))
		if !strings.HasPrefix(args.Message, long) { // the model was told who speaks as well
			t.Errorf("the file has %d bytes of the message's %d", len(args.Message), len(long))
		}
	}
	_, err = anna.SendEvent(h.within(), room, approval.ResponseType, map[string]any{
		"status": "approved", "m.relates_to": map[string]any{"m.in_reply_to": map[string]any{"event_id": q.card.ID}}})
	h.must(err)
	h.answer(anna, room, asked, "Passed on.")
	done := h.question(anna, room, 1, "approved")
	if !done.card.Encrypted {
		t.Error("the card's end is in clear")
	}
}

// fileOf is the message with the file of a question.
func fileOf(all []person.Event, q question) person.Event {
	for _, e := range all {
		if e.Content[approval.KeyCard] == q.card.Content["approval_id"] && e.Content["msgtype"] == "m.file" {
			return e
		}
	}
	return person.Event{}
}
