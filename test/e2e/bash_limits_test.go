//go:build goolm

package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mindroom/internal/person"
)

// gate is a page whose readers wait until they leave or the test lets them go.
type gate struct {
	url     string
	arrived chan string
	open    chan struct{}
	gone    atomic.Int64
}

func newGate(t *testing.T) *gate {
	g := &gate{arrived: make(chan string, 64), open: make(chan struct{})}
	let := sync.OnceFunc(func() { close(g.open) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.arrived <- r.URL.Path
		select {
		case <-g.open:
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("all is well"))
		case <-r.Context().Done():
			g.gone.Add(1)
		}
	}))
	g.url = server.URL
	t.Cleanup(func() {
		let()
		server.Close()
	})
	return g
}

// arrive waits for n readers.
func (g *gate) arrive(b *basher, n int) {
	b.t.Helper()
	within := b.within()
	for range n {
		select {
		case <-g.arrived:
		case <-within.Done():
			b.must(context.Cause(within))
		}
	}
}

// Commands end at their time-out with the output so far, run side by side, each with
// its own calls, and what they leave behind goes on without the door (M21-M24, M39).
func TestCommandsOfMinimalMode(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	side := "  - when: {user: '\\bside by side\\b'}\n    call: [{tool: bash, args: {command: {file: left.sh}}}, {tool: bash, args: {command: {file: right.sh}}}]\n" +
		"  - when: {user: '\\bin time\\b'}\n    call: [{tool: bash, args: {command: 'echo before; sleep 600', timeout: 1}}]\n" +
		"  - when: {user: '\\bdetach\\b', step: 0}\n    call: [{tool: bash, args: {command: {file: detach.sh}}}]\n" +
		"  - when: {result: {tool: bash, text: 'it is off'}}\n    call: [{tool: bash, args: {command: {file: look.sh}}}]\n" +
		"  - when: {result: {tool: bash, text: 'met'}}\n    say: 'Both: ${result}'\n"
	meet := func(own, other string) string {
		return "touch " + own + "; while [ ! -e " + other + " ]; do sleep 0.05; done; mindroom-agent tools call website.read_url '{\"url\":\"@SITE@/page\"}' | jq -r '\"met \" + .parent_bash_call_id'"
	}
	b := newBasher(t, "", page.url, side, map[string]string{
		"leave": `echo kept > kept.txt; export LEFT=1; cd /`,
		"find":  `echo "[$LEFT] $(pwd) $(cat kept.txt)"`,
		"left":  meet("l", "r"), "right": meet("r", "l"),
		// What goes on in the background may look at what is over, and call nothing new.
		"detach": `cat > later.sh <<'END'
while [ ! -e go ]; do sleep 0.05; done
mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}'; echo "call $?"
mindroom-agent calls get "$ID" | jq -r .status
touch finished
END
export ID=$(mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' | jq -r .call_id)
nohup bash later.sh > out.log 2>&1 &
echo it is off`,
		"look":  `touch go; while [ ! -e finished ]; do sleep 0.05; done; cat out.log`,
		"after": `rm -f go finished; nohup bash later.sh > out.log 2>&1 & true`,
		"ended": `touch go; while [ ! -e finished ]; do sleep 0.05; done; cat out.log`,
	})
	b.minimal()
	b.plays("leave")
	holds(t, b.plays("find"), "[] ", "watcher/workspace kept")
	holds(t, b.said(b.tells("in time")), "because its timeout of 1s passed", "before")
	if answer := b.said(b.tells("side by side")); strings.Count(answer, "`read_url`") != 2 {
		t.Errorf("side by side they say:\n%s", answer)
	}
	holds(t, b.said(b.tells("detach")), "window_closed", "call 2", "completed")
	if n := page.read(); n != 3 {
		t.Errorf("the page was read %d times", n)
	}
	// The end of the response ends the grant and not the work.
	b.plays("after")
	holds(t, b.plays("ended"), "call 4")
}

// The stop button ends a command with everything that it called: nothing of either is
// left, and the answer says so.
func TestStopWhileCallsRun(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	b := newBasher(t, "", g.url, "", map[string]string{
		"many": `for i in 1 2 3 4 5 6 7 8; do mindroom-agent tools call website.read_url '{"url":"@SITE@/'$i'"}' --timeout 100 & done; wait; echo all`,
	})
	b.minimal()
	asked := b.tells("play many")
	g.arrive(b, 8)
	var answer person.Event
	b.until(b.anna, b.room, "the growing answer", func(_, messages []person.Event) bool {
		all := answersTo(messages, asked)
		if len(all) == 1 {
			answer = all[0]
		}
		return len(all) == 1
	})
	_, err := b.anna.React(b.within(), b.room, answer.ID, "🛑")
	b.must(err)
	holds(t, b.said(asked), "**[Response cancelled by user]**")
	b.stop()
	if n := g.gone.Load(); n != 8 {
		t.Errorf("%d of 8 calls were left", n)
	}
	noneLeft(t, b.folder)
}

// artist is an MCP server that draws.
func artist(t *testing.T) (url string) {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "art", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "draw", Description: "Draw a picture.", InputSchema: json.RawMessage(`{"type":"object","properties":{"what":{"type":"string"}}}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "drawn"}, &sdk.ImageContent{Data: []byte("\x89PNG\r\n\x1a\n"), MIMEType: "image/png"}}}, nil
		})
	page := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(page.Close)
	return page.URL
}

// One command does what takes four toolkits, of which one is an MCP server, one
// approval and one picture, which comes with the command's result (M20).
func TestATaskOfFourToolkits(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	more := "  - when: {user: '\\bshow it\\b'}\n    call: [{tool: bash, args: {command: {file: task.sh}}}]\n"
	b := newBasherWith(t, strings.NewReplacer("      - file\n", "      - file\n      - memory\n      - mcp_art\n",
		"id: bash", "id: bash, images: false", // it is told what it would have seen
		"authorization:", "mcp_servers: {art: {url: '"+artist(t)+"'}}\nauthorization:"), asksToRead, page.url, more, map[string]string{
		"task": `set -eu
page=$(mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' --timeout 100 | jq -r '.outcome[0].content')
mindroom-agent tools call file.save_file "$(jq -nc --arg c "$page" '{contents:$c,file_name:"page.txt"}')" | jq -r .status
mindroom-agent tools call mcp_art.art_draw '{"what":"cat"}' | jq -c '[.status, .attachments[0].kind]'
mindroom-agent tools call memory.add_memory '{"content":"The page was well."}' | jq -r .status
cat page.txt MEMORY.md`,
	})
	b.minimal()
	asked := b.tells("show it")
	b.decides(1, "✅")
	holds(t, b.said(asked), "🔧 `bash` [1]\n🔧 `read_url` [2]\n🔧 `save_file` [3]\n🔧 `art_draw` [4]\n🔧 `add_memory` [5]",
		"completed", `["completed","image"]`, "completed", "all is well", "The page was well.", "(image/png) is not shown: you cannot see files of this kind")
}

// Where the shell is taken away after minimal mode was chosen, its answers fail with
// the reason, the choice stays, and standard mode answers again (M08).
func TestMinimalModeThatLostItsShell(t *testing.T) {
	t.Parallel()
	b := newBasher(t, "", "", "  - when: {user: 'and now'}\n    say: 'I am here.'\n", map[string]string{"work": "echo works"})
	b.minimal()
	holds(t, b.plays("work"), "works")
	config := strings.NewReplacer("@ANNA@", b.anna.UserID, "@ASK@", "", "- shell\n", "- shell: {exclude_tools: [run_shell_command]}\n")
	b.put("config.yaml", config.Replace(bashing))
	b.told("configuration reloaded")
	for range 2 {
		holds(t, b.plays("work"), "Watcher is in minimal mode here", "`run_shell_command`", "`!mode watcher standard`", "**[Response interrupted by an error: ")
	}
	holds(t, b.said(b.tells("!mode watcher standard")), "**standard** mode")
	holds(t, b.said(b.tells("and now?")), "I am here.")
}
