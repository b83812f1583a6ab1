package turncli

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mindroom/internal/tool"
)

// A call of an open window runs, its receipt says so, and what it leaves reaches
// the command (C10, M20).
func TestACallInAWindow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	scope, c := h.window(o, "toolu_1")
	if c.window != "toolu_1" || scope.Path() != "/opt/agent_cli_bin" {
		t.Errorf("the command gets window %q and path %q", c.window, scope.Path())
	}
	a := c.call(1, "kit.echo", `{"text":"hello"}`)
	want := `{"attachments":[],"call_id":"` + uuid(1) + `","function":"echo","outcome":"hello","parent_bash_call_id":"toolu_1","status":"completed","toolkit":"kit"}`
	if a.status != 200 || a.raw != want {
		t.Errorf("%d %s\nwant %s", a.status, a.raw, want)
	}
	a = c.call(2, "kit.picture", `{"text":"x"}`)
	files, _ := a.body["attachments"].([]any)
	if len(files) != 1 || !strings.Contains(a.raw, `"kind":"image","mime_type":"image/png"`) || !strings.Contains(a.raw, `"attachment_id":"att_`) {
		t.Errorf("the receipt is %s", a.raw)
	}
	e := scope.Close(t.Context())
	if len(e.Media) != 1 || e.Paused || e.Err != nil || e.Control != tool.ControlNone {
		t.Errorf("the command is left %+v", e)
	}
	for name, a := range map[string]answer{
		"a call":    c.call(3, "kit.echo", `{"text":"late"}`),
		"describe":  c.post(`{"operation":"tools.describe","toolkit":"kit","function":"echo"}`),
		"no window": client{h: h, url: c.url, token: c.token}.call(4, "kit.echo", `{"text":"late"}`),
	} {
		if a.status != 409 {
			t.Errorf("%s after the window closed: %d %s", name, a.status, a.raw)
		}
	}
	if a := c.receipt(1); a.raw != want {
		t.Errorf("the receipt is read as %s", a.raw)
	}
	if a := c.call(1, "kit.echo", `{"text":"hello"}`); a.raw != want || h.kit.count("echo") != 1 {
		t.Errorf("joined as %s after %d runs", a.raw, h.kit.count("echo"))
	}
	if a := c.receipt(3); a.status != 401 {
		t.Errorf("what was refused left %d %s", a.status, a.raw)
	}
	o.Release(t.Context())
	if a := c.receipt(1); a.status != 401 {
		t.Errorf("after the response: %d %s", a.status, a.raw)
	}
	if o.Live() {
		t.Error("the owner is live")
	}
	if _, err := o.Open(t.Context(), tool.Ref{Door: tool.DoorTurn, Owner: o.turn, ID: "2.1.x"}); err == nil {
		t.Error("a command starts after the response")
	}
}

// Outer shell → CLI → nested shell → CLI: one window, no deadlock, also of an
// exclusive call; the nested command's calls go on after both commands returned.
func TestNestedShells(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	inner := make(chan client, 1)
	h.command("nested", func(_ context.Context, env []string) (any, error) {
		c := h.client(env)
		inner <- c
		if a := c.submit(2, "kit.alone", `{}`); a.status != 200 {
			return nil, errors.New(a.raw)
		}
		return "returned", nil
	})
	scope, c := h.window(o, "toolu_1")
	if a := c.call(1, "shell.run_shell_command", `{"command":"nested"}`); a.text("status") != "completed" {
		t.Fatalf("the nested command: %s", a.raw)
	}
	nested := <-inner
	if nested.window != c.window {
		t.Errorf("the nested command has window %q", nested.window)
	}
	<-h.kit.entered
	closed := ends(t, func() tool.Enclosed { return scope.Close(context.Background()) })
	if a := nested.submit(3, "kit.picture", `{"text":"joined while draining"}`); a.status != 200 {
		t.Errorf("a call while the window drains: %s", a.raw)
	}
	nested.until(3, "queued", "running", "completed")
	close(h.kit.release)
	if e := closed(); len(e.Media) != 1 || e.Err != nil {
		t.Errorf("the command is left %+v", e)
	}
	if a := nested.submit(4, "kit.echo", `{"text":"late"}`); a.status != 409 || a.text("code") != string(CodeWindowClosed) {
		t.Errorf("after the window closed: %d %s", a.status, a.raw)
	}
}
