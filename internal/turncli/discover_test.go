package turncli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/tool"
)

func (a answer) items() (names []string) {
	items, _ := a.body["items"].([]any)
	for _, it := range items {
		m := it.(map[string]any)
		if name, ok := m["name"].(string); ok {
			names = append(names, name)
			continue
		}
		names = append(names, fmt.Sprintf("%s.%v", m["toolkit"], m["function"]))
	}
	return names
}

var everything = []string{"shell.run_shell_command", "kit.echo", "kit.ask", "kit.block", "kit.alone", "kit.fail", "kit.repeat", "kit.numbers", "kit.finish", "kit.picture", "wide.form"}

// Lists are paged in the agent's order, without schemas, and need no window (C04).
func TestListing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(asking(newHolds())), "toolu_1")
	c.window = ""
	var all []string
	for cursor := `null`; ; {
		a := c.post(`{"operation":"tools.list","limit":4,"cursor":` + cursor + `}`)
		if a.status != 200 || strings.Contains(a.raw, "input_schema") {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		all = append(all, a.items()...)
		next, more := a.body["next_cursor"].(string)
		if !more {
			break
		}
		cursor = fmt.Sprintf("%q", next)
	}
	if fmt.Sprint(all) != fmt.Sprint(everything) {
		t.Errorf("listed %v", all)
	}
	a := c.post(`{"operation":"tools.list","limit":2}`)
	if !strings.Contains(a.raw, `{"description":"Gives a text back.","function":"echo","signature":"echo(text: string, list?: string[])","toolkit":"kit"}`) {
		t.Errorf("an item is %s", a.raw)
	}
	for _, cursor := range []string{"-1", "12", "x", "01", " 1", "1.0"} {
		if a := c.post(fmt.Sprintf(`{"operation":"tools.list","cursor":%q}`, cursor)); a.status != 422 || a.text("code") != string(CodeCursor) {
			t.Errorf("cursor %q: %d %s", cursor, a.status, a.raw)
		}
	}
	if a := c.post(`{"operation":"tools.list","cursor":"11"}`); a.status != 200 || len(a.items()) != 0 {
		t.Errorf("the end: %d %s", a.status, a.raw)
	}
}

// In standard mode what may ask a person or belongs to the model alone is neither
// listed nor callable, and says so (M17).
func TestStandardModeOffersLess(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(func(open *Opening) {
		open.Native = true
		open.Offers = func(n tool.Name) bool { return n.Function != "fail" }
	}), "toolu_1")
	listed := fmt.Sprint(c.post(`{"operation":"tools.list"}`).items())
	for n, name := range []string{"ask", "finish", "fail"} {
		if strings.Contains(listed, "kit."+name) {
			t.Errorf("%s is listed", name)
		}
		for i, a := range []answer{
			c.call(n, "kit."+name, `{}`),
			c.post(`{"operation":"tools.describe","toolkit":"kit","function":"` + name + `"}`),
			c.post(`{"operation":"tools.check","toolkit":"kit","function":"` + name + `"}`),
		} {
			if i == 0 && a.text("status") != "failed" || i > 0 && a.status != 422 {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
			if name != "fail" && !strings.Contains(a.raw, "call "+name+" directly") {
				t.Errorf("%s: %s", name, a.raw)
			}
		}
		if found := fmt.Sprint(c.post(`{"operation":"tools.search","query":"` + name + `"}`).items()); strings.Contains(found, "kit."+name) {
			t.Errorf("%s is found", name)
		}
	}
}

// What there is not is named with what there is, in calls as in describe.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(asking(newHolds())), "toolu_1")
	for n, test := range []struct{ kit, function, says string }{
		{"nokit", "echo", "there are shell, kit, wide"},
		{"kit", "ecko", "it has echo, ask, block"},
	} {
		d := c.post(fmt.Sprintf(`{"operation":"tools.describe","toolkit":%q,"function":%q}`, test.kit, test.function))
		a := c.call(n, test.kit+"."+test.function, `{}`)
		if d.status != 422 || d.text("code") != string(tool.FaultUnknown) || !strings.Contains(d.text("detail"), test.says) || a.outcome("error") != d.text("detail") {
			t.Errorf("%s.%s: %s\n%s", test.kit, test.function, d.raw, a.raw)
		}
	}
}

func TestSearching(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(asking(newHolds())), "toolu_1")
	for query, want := range map[string]string{
		"echo": "kit.echo", "KIT.echo": "kit.echo", "run a command": "shell.run_shell_command", "running commands in bash": "shell.run_shell_command",
		"give text": "kit.echo", "pictures": "kit.picture", "needing approvals": "kit.ask", "four hundred fields": "wide.form", "ends turn": "kit.finish",
	} {
		if a := c.post(fmt.Sprintf(`{"operation":"tools.search","query":%q}`, query)); len(a.items()) == 0 || a.items()[0] != want {
			t.Errorf("%q finds %v", query, a.items())
		}
	}
	if a := c.post(`{"operation":"tools.search","query":"wait alone","toolkit":"shell"}`); len(a.items()) != 0 {
		t.Errorf("in another toolkit: %v", a.items())
	}
	if a := c.post(`{"operation":"tools.search","query":"wait","limit":1}`); len(a.items()) != 1 {
		t.Errorf("a limit of 1: %v", a.items())
	}
	if a := c.post(`{"operation":"tools.search","query":"quaternion"}`); a.raw != `{"items":[],"toolkits":["shell","kit","wide"]}` {
		t.Errorf("nothing found: %s", a.raw)
	}
}

// A describe tells the real schema; one that no answer holds is read in pages
// (C12). Who may not use the agent any more is told nothing (C23).
func TestDescribing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(nil), "toolu_1")
	a := c.post(`{"operation":"tools.describe","toolkit":"kit","function":"echo"}`)
	schema, _ := a.body["input_schema"].(map[string]any)
	if a.status != 200 || schema["type"] != "object" || a.text("description") != "Gives a text back.\n\nNothing else." || len(a.body) != 5 {
		t.Errorf("%d %s", a.status, a.raw)
	}
	for range 2 {
		a = c.post(`{"operation":"tools.describe","toolkit":"wide","function":"form"}`)
		at, _ := a.body["context"].(map[string]any)
		if at["name"] != "tool-schema-1" || at["operation"] != "context.read" || len(a.body) != 3 {
			t.Fatalf("%d %s", a.status, a.raw)
		}
		if text := c.whole("tool-schema-1", 7000); len([]rune(text)) != int(at["length"].(float64)) || !json.Valid([]byte(text)) || !strings.Contains(text, "field_399") {
			t.Errorf("pages of %d characters", len([]rune(text)))
		}
	}
	h.may.Store(int32(tool.No))
	for _, op := range []string{"describe", "check"} {
		if a := c.post(`{"operation":"tools.` + op + `","toolkit":"kit","function":"numbers","arguments":{"times":1}}`); op == "check" && a.status != 422 {
			t.Errorf("check without authority: %d %s", a.status, a.raw)
		}
	}
	if a := c.post(`{"operation":"tools.describe","toolkit":"kit","function":"echo"}`); a.status != 422 || a.text("code") != string(tool.FaultUnauthorised) {
		t.Errorf("describe without authority: %d %s", a.status, a.raw)
	}
	if a := c.call(1, "kit.echo", `{"text":"x"}`); a.outcome("code") != string(tool.FaultUnauthorised) || h.kit.count("echo") != 0 {
		t.Errorf("a call without authority: %s", a.raw)
	}
}

// whole reads a document in pages.
func (c client) whole(name string, limit int) string {
	c.h.t.Helper()
	var text strings.Builder
	for offset := 0; ; {
		a := c.post(fmt.Sprintf(`{"operation":"context.read","name":%q,"offset":%d,"limit":%d}`, name, offset, limit))
		if a.status != 200 || len(a.raw) > maxBody {
			c.h.t.Fatalf("%d, %d bytes: %.200s", a.status, len(a.raw), a.raw)
		}
		text.WriteString(a.text("text"))
		next, more := a.body["next_offset"].(float64)
		if !more {
			return text.String()
		}
		offset = int(next)
	}
}

// Documents are found by their name alone and read in pages of characters (C11).
func TestContextDocuments(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	docs := map[string]string{
		"role": "You help.", "emoji": strings.Repeat("😀", 20_000), "control": strings.Repeat("\x01\"\\\n", 30_000), "empty": "",
		"broken": "a\xffb", strings.Repeat("n", 128): strings.Repeat("ü", 70_000),
	}
	_, c := h.window(h.open(func(open *Opening) {
		for name, text := range docs {
			open.Documents = append(open.Documents, Document{Name: name, Text: text})
		}
	}), "toolu_1")
	a := c.post(`{"operation":"context.list"}`)
	if len(a.items()) != len(docs) || !strings.Contains(a.raw, `{"length":20000,"name":"emoji"}`) {
		t.Errorf("listed %s", a.raw)
	}
	for name, text := range docs {
		for _, limit := range []int{65536, 8191} {
			if got := c.whole(name, limit); got != strings.ToValidUTF8(text, "\uFFFD") {
				t.Errorf("%.10s with %d: %d characters of %d", name, limit, len([]rune(got)), len([]rune(text)))
			}
		}
	}
	if a := c.post(`{"operation":"context.read","name":"emoji","offset":19999,"limit":5}`); a.raw != `{"name":"emoji","next_offset":null,"text":"😀"}` {
		t.Errorf("the last page: %s", a.raw)
	}
	if a := c.post(`{"operation":"context.read","name":"role","offset":500}`); a.status != 200 || a.text("text") != "" {
		t.Errorf("past the end: %d %s", a.status, a.raw)
	}
	must(t, os.WriteFile(filepath.Join(h.dir, "secret.txt"), []byte("x"), 0o600))
	for _, name := range []string{"secret.txt", "./secret.txt", filepath.Join(h.dir, "secret.txt"), "../role", "role\x00", "/etc/passwd"} {
		raw, _ := json.Marshal(name)
		if a := c.post(`{"operation":"context.read","name":` + string(raw) + `}`); a.status != 422 || a.text("code") != string(CodeDocument) {
			t.Errorf("%q: %d %s", name, a.status, a.raw)
		}
	}
}

// A check says what would become of a call and makes none.
func TestChecking(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(asking(newHolds())), "toolu_1")
	check := func(function, args string) answer {
		return c.post(`{"operation":"tools.check","toolkit":"kit","function":"` + function + `","arguments":` + args + `}`)
	}
	if a := check("echo", `{"text":"x"}`); a.raw != `{"approval":"allow","function":"echo","toolkit":"kit","valid":true}` {
		t.Errorf("valid: %s", a.raw)
	}
	if a := check("ask", `{"text":"x"}`); a.text("approval") != "ask" {
		t.Errorf("asking: %s", a.raw)
	}
	if a := check("echo", `{"text":"x","list":"[\"a\"]"}`); a.status != 422 || a.text("code") != string(tool.FaultArguments) || !strings.Contains(a.text("detail"), "without quotes around it") {
		t.Errorf("a list in quotes: %d %s", a.status, a.raw)
	}
	if n := h.kit.count("echo") + h.kit.count("ask"); n != 0 {
		t.Errorf("%d calls ran", n)
	}
}
