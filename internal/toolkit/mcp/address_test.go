package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

func (r *rig) at(name, url string) config.MCPServer {
	return config.MCPServer{
		Name: name, Enabled: true, URL: url, Prefix: name, Startup: patience, Timeout: patience,
		Headers: map[string]string{"Authorization": "Bearer ${TEST_TOKEN}"},
	}
}

func TestServerOverHTTP(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	server := testServer(r.folder)
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)
	var down atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch {
		case req.Header.Get("Authorization") != "Bearer tok-8471-abcdef":
			http.Error(w, "who are you", http.StatusUnauthorized)
		case down.Load():
			http.Error(w, "closed", http.StatusBadGateway)
		default:
			inner.ServeHTTP(w, req)
		}
	}))
	t.Cleanup(func() {
		for session := range server.Sessions() {
			_ = session.Close() // the client's end is closed already
		}
		web.Close()
	})
	t.Cleanup(r.close) // before the web server, which waits for its clients
	r.follow(r.at("far", web.URL))
	if got := r.result("far", "far_echo", map[string]any{"text": "hej"}); got.Text != `{"text":"hej"}` {
		t.Errorf("echo = %+v", got)
	}
	down.Store(true)
	if out := r.call(t.Context(), "far", "far_echo", nil); out.State != tool.StateIndeterminate {
		t.Errorf("echo without an answer = %s %v", out.State, out.Fault)
	}
	down.Store(false)
	until(t, "it is reached again", func() bool {
		return r.call(t.Context(), "far", "far_echo", nil).State == tool.StateCompleted
	})
}

// Another host gets neither a request nor a header, whatever the server says.
func TestRedirectToAnotherHost(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var asked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	t.Cleanup(other.Close)
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(web.Close)
	t.Cleanup(r.close)
	r.servers.Follow(configured(r.at("far", web.URL)))
	until(t, "it says why it is down", func() bool {
		_, err := r.servers.functions("far")
		return err != nil && strings.Contains(err.Error(), "another host than its own")
	})
	if asked.Load() {
		t.Error("the other host was asked")
	}
}
