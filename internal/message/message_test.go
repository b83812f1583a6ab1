package message_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"mindroom/internal/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func html(c message.Content) string { s, _ := c["formatted_body"].(string); return s }
func body(c message.Content) string { s, _ := c["body"].(string); return s }

// Sentence 1.
func TestRender(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, in, want string }{
		{"plain text needs no html", "hello there", ""},
		{"emphasis", "**bold** and *it*", "<strong>bold</strong> and <em>it</em>"},
		{"hard break", "one\ntwo", "one<br>\ntwo"},
		{"strikethrough", "~~old~~", "<del>old</del>"},
		{"code keeps its language", "```go\nx < y\n```", "<pre><code class=\"language-go\">x &lt; y\n</code></pre>"},
		{"two paragraphs keep their tags", "a\n\nb", "<p>a</p>\n<p>b</p>"},
		{"raw html is dropped", "a <img src=x onerror=alert(1)> *b*", "a  <em>b</em>"},
		{"script link is dropped", "[x](javascript:alert(1)) *b*", "x <em>b</em>"},
		{"remote image is dropped", "![alt](https://example.org/pixel.png) *b*", " <em>b</em>"},
		{"bare link", "see https://example.org/a", `see <a href="https://example.org/a">https://example.org/a</a>`},
		{"ordered list keeps its start", "3. a\n4. b", "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>"},
		{"table", "|a|b|\n|-|-|\n|1|2|", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := message.Text(c.in)
			if html(got) != c.want {
				t.Fatalf("html %q, want %q", html(got), c.want)
			}
			if body(got) != c.in {
				t.Fatalf("body %q is not the source", body(got))
			}
			if (got["format"] == "org.matrix.custom.html") != (c.want != "") {
				t.Fatalf("format %v", got["format"])
			}
		})
	}
}

// Sentence 4.
func TestNames(t *testing.T) {
	t.Parallel()
	known := map[string]string{"helper": "@mindroom_helper:x", "data.bot": "@mindroom_data:x", "@": "never"}
	resolve := func(n string) (string, bool) { u, ok := known[strings.ToLower(n)]; return u, ok }
	cases := []struct {
		in   string
		want []string
	}{
		{"@helper please", []string{"@mindroom_helper:x"}},
		{"ask @Helper.", []string{"@mindroom_helper:x"}},
		{"(@data.bot) and @helper", []string{"@mindroom_data:x", "@mindroom_helper:x"}},
		{"**@helper**, @helper", []string{"@mindroom_helper:x"}},
		{"@helpers are many", nil},
		{"@helper2", nil},
		{"mail me@helper", nil},
		{"`@helper`", nil},
		{"```\n@helper\n```", nil},
		{"@nobody", nil},
		{"@", nil},
	}
	for _, c := range cases {
		got := message.Text(c.in, message.Names(resolve))
		m := got["m.mentions"].(map[string]any)
		users, _ := m["user_ids"].([]string)
		if !slices.Equal(users, c.want) {
			t.Errorf("%q mentions %v, want %v", c.in, users, c.want)
		}
		if strings.Contains(html(got), "matrix.to") != (c.want != nil) {
			t.Errorf("%q renders %q", c.in, html(got))
		}
	}
	got := message.Text("hi", message.Mention("@a:x"))
	if m := got["m.mentions"].(map[string]any); len(m["user_ids"].([]string)) != 1 {
		t.Errorf("explicit mention: %v", m)
	}
}

func TestRelations(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		opt  message.Option
		want string
	}{
		{"reply in thread", message.ThreadReply("$root", "$q"), `{"event_id":"$root","is_falling_back":false,"m.in_reply_to":{"event_id":"$q"},"rel_type":"m.thread"}`},
		{"reply in the room", message.ThreadReply("", "$q"), `{"m.in_reply_to":{"event_id":"$q"}}`},
	}
	for _, c := range cases {
		b, err := json.Marshal(message.Text("x", c.opt)["m.relates_to"])
		if err != nil || string(b) != c.want {
			t.Errorf("%s: %s (%v), want %s", c.name, b, err, c.want)
		}
	}
}

// Sentence 3.
func TestWrap(t *testing.T) {
	t.Parallel()
	fresh := message.Text("**new**", message.Notice(), message.ThreadReply("$root", "$q"), message.Mention("@a:x"),
		message.With(message.KeyStreamStatus, message.StatusStreaming), message.With(message.KeyToolTrace, message.NewTrace(nil)))
	c := message.Wrap("$t", fresh, true)
	inner := c["m.new_content"].(message.Content)
	if body(inner) != "**new**" || html(inner) != "<strong>new</strong>" || inner["msgtype"] != "m.notice" || inner[message.KeyToolTrace] == nil {
		t.Fatalf("new content %v", inner)
	}
	if _, ok := inner["m.relates_to"]; ok {
		t.Fatal("the new content carries a relation")
	}
	if fresh["m.relates_to"] == nil {
		t.Fatal("the caller's content was changed")
	}
	if body(c) != "* **new**" || html(c) != "* <strong>new</strong>" || c["msgtype"] != "m.notice" || c[message.KeyToolTrace] != nil {
		t.Fatalf("outer %v", c)
	}
	if len(c["m.mentions"].(map[string]any)) != 0 {
		t.Fatal("an edit in progress mentions")
	}
	if m := message.Wrap("$t", fresh, false)["m.mentions"].(map[string]any); len(m) != 1 {
		t.Fatal("a final edit does not mention")
	}
	rel := c["m.relates_to"].(map[string]any)
	if rel["rel_type"] != "m.replace" || rel["event_id"] != "$t" {
		t.Fatalf("relation %v", rel)
	}
	long := message.Wrap("$t", message.Text(strings.Repeat("word ", 4000)), false)
	if len(body(long)) > 3000 || len(body(long["m.new_content"].(message.Content))) != 20000 {
		t.Fatalf("long edit: outer %d bytes", len(body(long)))
	}
}

func TestInThread(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		in   message.Content
		root string
		want string
	}{
		{"no root", message.Text("x"), "", `null`},
		{"plain", message.Text("x"), "$root", `{"event_id":"$root","is_falling_back":true,"m.in_reply_to":{"event_id":"$root"},"rel_type":"m.thread"}`},
		{"a reply", message.Text("x", message.ThreadReply("", "$q")), "$root", `{"event_id":"$root","is_falling_back":false,"m.in_reply_to":{"event_id":"$q"},"rel_type":"m.thread"}`},
		{"in a thread already", message.Text("x", message.ThreadReply("$root", "$last")), "$root", `{"event_id":"$root","is_falling_back":false,"m.in_reply_to":{"event_id":"$last"},"rel_type":"m.thread"}`},
		{"relation of another form", message.Content{"m.relates_to": "odd"}, "$root", `{"event_id":"$root","is_falling_back":true,"m.in_reply_to":{"event_id":"$root"},"rel_type":"m.thread"}`},
	}
	for _, c := range cases {
		// As the outbox gives it back: through JSON.
		var in message.Content
		if err := json.Unmarshal(c.in.Raw(), &in); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(message.InThread(in, c.root)["m.relates_to"])
		if err != nil || string(b) != c.want {
			t.Errorf("%s: %s (%v), want %s", c.name, b, err, c.want)
		}
	}
	if got := message.ReactTo(message.Reaction("👍"), "$t").Raw(); string(got) != `{"m.relates_to":{"event_id":"$t","key":"👍","rel_type":"m.annotation"}}` {
		t.Errorf("reaction %s", got)
	}
}

// Sentence 2.
func TestFit(t *testing.T) {
	t.Parallel()
	texts := map[string]string{
		"ascii":        strings.Repeat("all work and no play\n", 20_000),
		"wide":         strings.Repeat("日本語の文章です。", 20_000),
		"escapes":      strings.Repeat("<&>\"\\\x01", 30_000),
		"markup":       strings.Repeat("**a** ", 30_000),
		"one line":     strings.Repeat("x", 200_000),
		"code":         "```\n" + strings.Repeat("code line\n", 20_000),
		"not utf8":     strings.Repeat("\xffa", 50_000),
		"html expands": strings.Repeat("> ", 60) + strings.Repeat("x\n", 15_000),
	}
	for name, in := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := message.Text(in, message.ThreadReply("$r", "$q"))
			if n := c.Size(); n > message.MaxContent || n < message.MaxContent/4 {
				t.Errorf("%d bytes of at most %d", n, message.MaxContent)
			}
			if n := message.Wrap("$t", c, false).Size(); n > message.MaxContent+1024 {
				t.Errorf("wrapped %d bytes", n)
			}
			if c[message.KeyCut] == nil || !strings.HasSuffix(body(c), "KB shown]**") || !strings.Contains(html(c), "KB shown]") {
				t.Errorf("the cut is not told: %v, …%q", c[message.KeyCut], body(c)[max(0, len(body(c))-60):])
			}
			if !utf8.ValidString(body(c)) {
				t.Error("cut inside a character")
			}
		})
	}
	code := body(message.Text(texts["code"]))
	if strings.Count(code, "```") != 2 {
		t.Error("the open code block was not closed before the note")
	}
}

func TestSmallTextIsNeverCut(t *testing.T) {
	t.Parallel()
	in := strings.Repeat("word ", 4000) // 20 KB
	if c := message.Text(in); c[message.KeyCut] != nil || body(c) != in {
		t.Fatal("cut without need")
	}
}

// Sentence 5.
func TestTrace(t *testing.T) {
	t.Parallel()
	mask := func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	e := message.Started("shell", json.RawMessage(`{"z":"say hunter2 to @ann","api_key":"abcdef","big":"`+strings.Repeat("b", 400)+`"}`), mask)
	if strings.Contains(e.Arguments, "hunter2") || strings.Contains(e.Arguments, "abcdef") {
		t.Errorf("secret shown: %s", e.Arguments)
	}
	if strings.Contains(e.Arguments, "@ann") || !strings.Contains(e.Arguments, "@\u200bann") {
		t.Errorf("may mention: %s", e.Arguments)
	}
	if !e.Truncated || !strings.HasPrefix(e.Arguments, "api_key=***, big=") {
		t.Errorf("%+v", e)
	}
	done := e.Completed(strings.Repeat("r", 600), mask)
	if done.Type != "tool_call_completed" || utf8.RuneCountInString(done.Result) != 500 || !done.Truncated {
		t.Errorf("%+v", done)
	}
	if tr := message.NewTrace(make([]message.TraceEntry, 130)); len(tr.Events) != 100 || !tr.Truncated || tr.Version != 2 {
		t.Errorf("%d entries, %v", len(tr.Events), tr.Truncated)
	}
	if tr := message.NewTrace(slices.Repeat([]message.TraceEntry{e}, 50)); len(tr.Events) == 50 || len(tr.Events) == 0 || !tr.Truncated {
		t.Errorf("%d long entries, %v", len(tr.Events), tr.Truncated)
	}
	flood := message.Text("x", message.With(message.KeyToolTrace, strings.Repeat("t", 60_000)))
	if flood.Size() > message.MaxContent || body(flood) == "" {
		t.Errorf("%d bytes of metadata alone", flood.Size())
	}
	if got := message.Marker("run_shell", 2, true); got != "🔧 `run_shell` [2] ⏳" {
		t.Errorf("marker %q", got)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	if !message.SourceRelay.Relays() || message.SourceMessage.Relays() || message.Source("x").Relays() {
		t.Error("which sources may speak for a person")
	}
	if !message.StatusError.Terminal() || message.StatusApproval.Terminal() {
		t.Error("which statuses are final")
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "@helper", "**a", "```\nx", "<b>", "|a|\n|-|", "[a](b)", "\x00", "@@a.b:c", "[@helper](x)", "> > @helper`"} {
		f.Add(s)
	}
	resolve := func(n string) (string, bool) { return "@" + n + ":x", len(n)%2 == 0 }
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range []message.Content{message.Text(s, message.Names(resolve)), message.Wrap("$t", message.Text(s), false)} {
			if c.Size() > message.MaxContent+1024 {
				t.Fatalf("%d bytes", c.Size())
			}
			lower := strings.ToLower(html(c))
			for _, bad := range []string{"<script", "<img", "<iframe", "<style", "href=\"javascript", "href=\"data:"} {
				if strings.Contains(lower, bad) {
					t.Fatalf("%q rendered %q", s, html(c))
				}
			}
		}
	})
}

func FuzzTrace(f *testing.F) {
	f.Add(`{"a":1}`, "r")
	f.Add(`[]`, "@x")
	f.Fuzz(func(t *testing.T, args, result string) {
		e := message.Started("t", json.RawMessage(args), nil).Completed(result, nil)
		if n := utf8.RuneCountInString(strings.ReplaceAll(e.Arguments, "\u200b", "")); n > 1200 {
			t.Fatalf("%d characters of arguments", n)
		}
		if i := strings.LastIndexByte(e.Result, '@'); i >= 0 && !strings.HasPrefix(e.Result[i+1:], "\u200b") {
			t.Fatalf("result may mention: %q", e.Result)
		}
	})
}

// A cut text says which file has the whole, in words and for programs.
func TestAttached(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("all work and no play\n", 5000)
	c := message.Text(long, message.Attached("answer.md"))
	cut, _ := c[message.KeyCut].(map[string]any)
	if c.Size() > message.MaxContent || cut["attachment"] != "answer.md" || !strings.HasSuffix(body(c), "shown; the whole is attached as answer.md]**") {
		t.Errorf("%d bytes, %v, …%q", c.Size(), cut, body(c)[len(body(c))-80:])
	}
	if c := message.Text("short", message.Attached("answer.md")); c[message.KeyCut] != nil || body(c) != "short" {
		t.Errorf("a short text: %v", c)
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	c := message.File(message.FileInfo{Kind: "image", Name: "a_b_*c*.png", MIME: "image/png", Size: 12, Width: 3, Height: 4},
		message.With(message.KeySkipMentions, true))
	want := `{"body":"a_b_*c*.png","com.mindroom.skip_mentions":true,"filename":"a_b_*c*.png","info":{"h":4,"mimetype":"image/png","size":12,"w":3},"m.mentions":{},"msgtype":"m.image"}`
	if got := string(c.Raw()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if c := message.File(message.FileInfo{Kind: "file", Name: "x"}); string(c.Raw()) != `{"body":"x","filename":"x","info":{"size":0},"m.mentions":{},"msgtype":"m.file"}` {
		t.Errorf("%s", c.Raw())
	}
}
