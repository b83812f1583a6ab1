package script_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"mindroom/internal/audit"
	"mindroom/internal/script"
	"mindroom/internal/tool"
	"mindroom/internal/wirekit"
)

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	must(t, err)
	return n
}

// TestGatewayKeepsThePublicProtocol points the protocol kit at the gateway (S33,
// S36, S60, S70, S82).
func TestGatewayKeepsThePublicProtocol(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run, other := h.start(sleeper), h.start(sleeper)
	wirekit.CheckGateway(t, wirekit.Target{
		BaseURL: h.server.URL + script.GatewayPath, RunID: string(run.ID), Token: h.token(run),
		ForeignRunID: string(other.ID), ForeignToken: h.token(other),
		Toolkit: "probe", Function: "echo", Args: json.RawMessage(`{"text":"hello"}`), OtherArgs: json.RawMessage(`{"text":"other"}`),
	})
}

// TestEveryRefusalOfACapabilityIsTheSame: one 404, byte for byte, before the body
// is read (S82).
func TestEveryRefusalOfACapabilityIsTheSame(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run, other, ended := h.start(sleeper), h.start(sleeper), h.start(sleeper)
	good, foreign, late := h.client(run), h.client(other), h.client(ended)
	if _, err := h.Cancel(t.Context(), owner(anna), string(ended.ID), true); err != nil {
		t.Fatal(err)
	}
	want := client{h, good.run, "wrong"}.call("c1", "echo", `{"text":"a"}`)
	if want.status != http.StatusNotFound {
		t.Fatalf("a wrong token: %d", want.status)
	}
	for name, got := range map[string]answer{
		"no header":                 client{h, good.run, ""}.call("c1", "echo", `{"text":"a"}`),
		"truncated token":           client{h, good.run, good.token[:42]}.call("c1", "echo", `{"text":"a"}`),
		"another run's token":       client{h, good.run, foreign.token}.call("c1", "echo", `{"text":"a"}`),
		"ended run":                 late.call("c1", "echo", `{"text":"a"}`),
		"wrong token, broken body":  client{h, good.run, "wrong"}.do(http.MethodPost, "/calls", "{"),
		"wrong token, huge body":    client{h, good.run, "wrong"}.do(http.MethodPost, "/calls", strings.Repeat("x", 70_000)),
		"function not granted":      good.do(http.MethodPost, "/calls", strings.Replace(good.body("c2", "second_echo", `{}`), `"probe"`, `"second"`, 1)),
		"poll without a call":       good.receipt("never"),
		"poll of another run":       client{h, foreign.run, good.token}.receipt("c1"),
		"poll of a run not there":   client{h, "script-00000000000000000000000000000000", good.token}.receipt("c1"),
		"poll with a foreign token": client{h, good.run, foreign.token}.receipt("c1"),
	} {
		if got.status != want.status || string(got.raw) != string(want.raw) {
			t.Errorf("%s: %d %s, want %d %s", name, got.status, got.raw, want.status, want.raw)
		}
	}
}

// A capability that is not good is refused before the body has come, not only before
// it is read: nobody without one holds a connection.
func TestRefusedBeforeTheBodyCame(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(h.server.URL, "http://"))
	must(t, err)
	defer conn.Close()
	must(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = fmt.Fprintf(conn, "POST %s/calls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: 60000\r\n\r\n", script.GatewayPath)
	must(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusNotFound {
		t.Error(res.Status)
	}
}

// TestMalformedRequests: each is answered with a detail and without a retryable
// status, and leaves no call.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	c := h.client(run)
	fill := 65536 - len(c.body("c", "echo", `{"text":""}`))
	for name, tc := range map[string]struct {
		body   string
		status int
	}{
		"exactly 65,536 bytes":  {c.body("c", "echo", `{"text":"`+strings.Repeat("x", fill)+`"}`), 200},
		"65,537 bytes":          {c.body("c", "echo", `{"text":"`+strings.Repeat("x", fill+1)+`"}`), 413},
		"NaN":                   {c.body("c1", "value", `{"value":NaN}`), 422},
		"Infinity":              {c.body("c1", "value", `{"value":-Infinity}`), 422},
		"1e400":                 {c.body("c1", "value", `{"value":1e400}`), 422},
		"10,000 levels":         {c.body("c1", "value", `{"value":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+`}`), 422},
		"invalid UTF-8":         {c.body("c1", "value", "{\"value\":\"\xff\"}"), 422},
		"lone surrogate":        {c.body("c1", "value", `{"value":"\ud800"}`), 422},
		"arguments null":        {c.body("c1", "value", `null`), 422},
		"arguments a list":      {c.body("c1", "value", `[]`), 422},
		"unknown member":        {strings.Replace(c.body("c1", "value", `{}`), `{"run_id"`, `{"room_id":"!x:y","run_id"`, 1), 422},
		"empty":                 {``, 422},
		"trailing data":         {c.body("c1", "value", `{}`) + "{}", 422},
		"a number as call id":   {strings.Replace(c.body("c1", "value", `{}`), `"c1"`, `7`, 1), 422},
		"129 characters":        {c.body(strings.Repeat("é", 129), "value", `{}`), 422},
		"call id missing":       {strings.Replace(c.body("c1", "value", `{}`), `"call_id":"c1",`, ``, 1), 422},
		"call id empty":         {c.body("", "value", `{}`), 422},
		"arguments left out":    {strings.Replace(c.body("left-out", "value", `{}`), `,"arguments":{}`, ``, 1), 200},
		"128 characters is all": {c.body(strings.Repeat("é", 128), "value", `{}`), 200},
	} {
		got := c.do(http.MethodPost, "/calls", tc.body)
		if got.status != tc.status || tc.status >= 400 && got.body.Detail == "" {
			t.Errorf("%s: %d %.200s, want %d", name, got.status, got.raw, tc.status)
		}
	}
	if got := c.receipt("c1"); got.status != http.StatusNotFound {
		t.Errorf("a malformed call left a receipt: %d %s", got.status, got.raw)
	}
}

// TestCallsOfARunFollowOneAnother (S61), and each is held for its receipt.
func TestCallsOfARunFollowOneAnother(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	c := h.client(run)
	first := c.call("c1", "block", `{}`, "Prefer", "wait=0")
	if first.status != http.StatusAccepted || first.body.State != "pending" {
		t.Fatalf("first: %d %s", first.status, first.raw)
	}
	<-h.calls.entered
	second := c.call("c2", "echo", `{"text":"after"}`, "Prefer", "wait=0")
	if second.status != http.StatusAccepted || h.calls.count("probe.echo") != 0 {
		t.Fatalf("second: %d %s; echo ran %d times beside the first", second.status, second.raw, h.calls.count("probe.echo"))
	}
	close(h.calls.hold)
	if got := c.receipt("c2"); got.body.State != "completed" || string(got.body.Result) != `"after"` {
		t.Errorf("second after the first: %s", got.raw)
	}
	if got := c.receipt("c1"); got.body.State != "completed" || string(got.body.Result) != `"released"` {
		t.Errorf("first: %s", got.raw)
	}
	h.calls.mu.Lock()
	defer h.calls.mu.Unlock()
	if h.calls.most != 1 {
		t.Errorf("%d bodies of one run ran at once", h.calls.most)
	}
}

// TestHoldReturnsPendingInTime: a held request answers pending when its wait is
// over, and a caller that asked for less hears sooner.
func TestHoldReturnsPendingInTime(t *testing.T) {
	t.Parallel()
	h := opened(t, options{hold: 300 * time.Millisecond})
	run := h.start(sleeper)
	c := h.client(run)
	begin := time.Now()
	got := c.call("c1", "block", `{}`, "Prefer", "wait=10")
	if took := time.Since(begin); got.status != http.StatusAccepted || took < 250*time.Millisecond {
		t.Errorf("held %v: %d %s", took, got.status, got.raw)
	}
	if got := c.receipt("c1", "Prefer", "wait=0"); got.status != http.StatusOK || got.body.State != "pending" {
		t.Errorf("poll: %d %s", got.status, got.raw)
	}
	close(h.calls.hold)
}

// TestIdempotency: the same id joins whatever its spelling, and conflicts with
// any other call; nothing runs twice (S33, S60).
func TestIdempotency(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	c := h.client(run)
	c.call("c1", "value", `{"value":{"a":1,"b":2}}`)
	for range 3 {
		if got := c.call("c1", "value", ` { "value" : {"b":2,"a":1} } `); got.status != http.StatusOK || got.body.State != "completed" {
			t.Errorf("identical: %d %s", got.status, got.raw)
		}
	}
	for name, got := range map[string]answer{
		"1 and 1.0":        c.call("c1", "value", `{"value":{"a":1.0,"b":2}}`),
		"another function": c.call("c1", "echo", `{"value":{"a":1,"b":2}}`),
	} {
		if got.status != http.StatusConflict {
			t.Errorf("%s: %d %s", name, got.status, got.raw)
		}
	}
	if n := h.calls.count("probe.value"); n != 1 {
		t.Errorf("the body ran %d times", n)
	}
}

// TestRateCountsNewCallsOnly: polls and identical retries are free, and a refused
// call leaves no receipt (S04).
func TestRateCountsNewCallsOnly(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	req := request(t, sleeper)
	req.MaxCallsPerMinute = 2
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	c := h.client(run)
	c.call("c1", "echo", `{"text":"a"}`)
	c.call("c2", "echo", `{"text":"b"}`)
	for range 20 {
		if got := c.call("c1", "echo", `{"text":"a"}`); got.status != http.StatusOK {
			t.Fatalf("retry: %d", got.status)
		}
		if got := c.receipt("c2"); got.status != http.StatusOK {
			t.Fatalf("poll: %d", got.status)
		}
	}
	got := c.call("c3", "echo", `{"text":"c"}`)
	if after := atoi(t, got.header.Get("Retry-After")); got.status != http.StatusTooManyRequests || after < 1 || after > 60 {
		t.Errorf("third: %d, Retry-After %d", got.status, after)
	}
	if got := c.receipt("c3"); got.status != http.StatusNotFound {
		t.Errorf("a refused call has a receipt: %d", got.status)
	}
}

// TestClientVanishes: an accepted call runs to its end though its submitter has
// gone, and a retry joins it.
func TestClientVanishes(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	c := h.client(run)
	conn, err := net.Dial("tcp", h.server.Listener.Addr().String())
	must(t, err)
	body := c.body("c1", "block", `{}`)
	fmt.Fprintf(conn, "POST %s/calls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", script.GatewayPath, c.token, len(body), body)
	<-h.calls.entered
	must(t, conn.Close())
	close(h.calls.hold)
	if got := c.call("c1", "block", `{}`); got.status != http.StatusOK || got.body.State != "completed" {
		t.Errorf("retry: %d %s", got.status, got.raw)
	}
	if n := h.calls.count("probe.block"); n != 1 {
		t.Errorf("the body ran %d times", n)
	}
	// A request cut before its body arrived left nothing.
	conn, err = net.Dial("tcp", h.server.Listener.Addr().String())
	must(t, err)
	fmt.Fprintf(conn, "POST %s/calls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", script.GatewayPath, c.token, len(body), body[:20])
	must(t, conn.Close())
	if n := h.calls.count("probe.block"); n != 1 {
		t.Errorf("a cut request ran something: %d", n)
	}
}

// TestResultsAreBounded (S35).
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	got := h.client(run).call("c1", "large", `{}`)
	if got.body.State != "failed" || got.body.Error == nil || got.body.Error.Kind != tool.FaultTooLarge || got.body.Error.Retryable {
		t.Errorf("large result: %s", got.raw)
	}
}

// TestGrantMeetsTheLiveSurface: what the launch captured, and no more; what the
// agent has now, and no more (S09–S15, S87).
func TestGrantMeetsTheLiveSurface(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	run := h.start(sleeper)
	c := h.client(run)
	publish := func(yaml string) {
		t.Helper()
		_, err := h.holder.Publish(load(t, h.registry, yaml))
		must(t, err)
	}
	kind := func(a answer) string {
		if a.body.Error == nil {
			return a.body.State
		}
		return string(a.body.Error.Kind)
	}
	expect := func(what string, a answer, want string) {
		t.Helper()
		if got := kind(a); got != want {
			t.Errorf("%s: %s (%d %s), want %s", what, got, a.status, a.raw, want)
		}
	}
	expect("granted", c.call("c1", "echo", `{"text":"a"}`), "completed")
	expect("declared confirmation (S13)", c.call("c2", "confirm", `{}`), "approval_denied")

	publish(strings.Replace(houseYAML, "authorization:", "tool_approval: {rules: [{match: echo, action: require_approval}]}\nauthorization:", 1))
	expect("a rule applies live and first (S12)", c.call("c3", "echo", `{"text":"a"}`), "approval_denied")

	publish(strings.Replace(houseYAML, "authorization:", "tool_approval: {rules: [{match: echo, action: deny, reason: closed today}]}\nauthorization:", 1))
	denied := c.call("c4", "echo", `{"text":"a"}`)
	expect("a rule denies", denied, "approval_denied")
	if denied.body.Error == nil || denied.body.Error.Message != "closed today" {
		t.Errorf("the reason is not told: %s", denied.raw)
	}

	publish(strings.Replace(houseYAML, "probe, second", "{probe: {exclude_tools: [echo]}}, second", 1))
	expect("a removed function (S14)", c.call("c5", "echo", `{"text":"a"}`), "capability_revoked")

	publish(strings.Replace(houseYAML, "probe, second", "second", 1))
	expect("a removed toolkit (S14)", c.call("c6", "value", `{}`), "capability_revoked")

	publish(houseYAML)
	expect("back again", c.call("c7", "echo", `{"text":"a"}`), "completed")
	expect("the grant does not widen (S11)", c.do(http.MethodPost, "/calls", strings.Replace(c.body("c8", "second_echo", `{"text":"a"}`), `"probe"`, `"second"`, 1)), "")

	h.authority.set(tool.CannotTell)
	if got := c.call("c9", "echo", `{"text":"a"}`); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("authority cannot tell: %d %s", got.status, got.raw)
	}
	h.authority.set(tool.No)
	if got := c.call("c10", "echo", `{"text":"a"}`); got.status != http.StatusNotFound {
		t.Errorf("authority says no (S15): %d %s", got.status, got.raw)
	}
	records, err := audit.Of(context.Background(), h.db, string(run.ID))
	must(t, err)
	if len(records) != 7 {
		t.Errorf("%d audit records, want one for each of the 7 accepted calls, refusals included", len(records))
	}
}

// TestEmptyListPreapprovesNothing (S10), and a list never preapproves the
// toolkits of S08.
func TestEmptyListPreapprovesNothing(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	req := request(t, sleeper)
	req.Allowed = []string{" ", ""}
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	if run.Preapprove || len(run.Grants) == 0 || !run.Granted(tool.Name{Toolkit: "second", Function: "second_echo"}) {
		t.Errorf("grants %v, preapproved %v", run.Grants, run.Preapprove)
	}
	if got := h.client(run).call("c1", "echo", `{"text":"a"}`); got.body.Error == nil || got.body.Error.Kind != tool.FaultDenied {
		t.Errorf("an unlisted function ran unattended: %s", got.raw)
	}
	req.Allowed = []string{"scheduler"}
	run, err = h.Launch(t.Context(), req)
	must(t, err)
	c := h.client(run)
	if got := c.do(http.MethodPost, "/calls", strings.Replace(c.body("c1", "schedule_echo", `{"text":"a"}`), `"probe"`, `"scheduler"`, 1)); got.body.Error == nil || got.body.Error.Kind != tool.FaultDenied {
		t.Errorf("scheduler was preapproved (S08): %s", got.raw)
	}
}

// TestAmbiguousNamesStayGated: a bare name with an owner that was not listed asks.
func TestAmbiguousNamesStayGated(t *testing.T) {
	t.Parallel()
	h := opened(t, options{})
	req := request(t, sleeper) // allowed_tools: probe, while twin has functions of the same names
	req.Who.Agent = "other"
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	c := h.client(run)
	if got := c.call("c1", "echo", `{"text":"a"}`); got.body.Error == nil || got.body.Error.Kind != tool.FaultDenied {
		t.Errorf("an ambiguous name ran unattended: %s", got.raw)
	}
	req.Allowed = []string{"probe", "twin"}
	run, err = h.Launch(t.Context(), req)
	must(t, err)
	c = h.client(run)
	if got := c.call("c1", "echo", `{"text":"a"}`); got.body.State != "completed" {
		t.Errorf("a name whose every owner is listed: %s", got.raw)
	}
}
