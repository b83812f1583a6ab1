package turncli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"mindroom/internal/tool"
)

const refused = `{"detail":"Agent CLI authority is unavailable"}`

// Whatever is wrong with a grant, and whoever else's receipt is asked for, the
// answer has the same bytes (C15).
func TestOneAnswerToBadAuthority(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o, other := h.open(nil), h.open(nil)
	_, c := h.window(o, "toolu_1")
	_, d := h.window(other, "toolu_1")
	d.call(1, "kit.echo", `{"text":"x"}`)
	c.call(2, "kit.echo", `{"text":"x"}`)
	gone := h.open(nil)
	_, dead := h.window(gone, "toolu_1")
	gone.Cancel(t.Context())
	nobody := client{h: h, url: c.url}
	bearer := func(value string) []string { return []string{"Authorization", value} }
	for name, a := range map[string]answer{
		"no header, bad body":  nobody.post(`{"operation":`),
		"no header":            nobody.receipt(1),
		"empty":                nobody.send("GET", Path+"/calls/"+uuid(2), "", bearer("Bearer ")...),
		"another scheme":       nobody.send("GET", Path+"/calls/"+uuid(2), "", bearer("Basic "+c.token)...),
		"two spaces":           nobody.send("GET", Path+"/calls/"+uuid(2), "", bearer("Bearer  "+c.token)...),
		"too long":             nobody.send("GET", Path+"/calls/"+uuid(2), "", bearer("Bearer "+c.token+strings.Repeat("x", 4096))...),
		"one character off":    nobody.post(`{"operation":"tools.list"}`, bearer("Bearer "+c.token[1:]+"x")...),
		"revoked":              dead.post(`{"operation":"tools.list"}`),
		"an unknown call":      c.receipt(9),
		"another owner's call": c.receipt(1),
		"no UUID":              c.send("GET", Path+"/calls/..%2f..%2fetc", ""),
		"a digest for a token": nobody.post(`{"operation":"tools.list"}`, bearer(fmt.Sprintf("Bearer %x", [32]byte(o.digest)))...),
		"a token in the query": nobody.send("GET", Path+"/calls/"+uuid(2)+"?token="+c.token, ""),
	} {
		if a.status != 401 || a.raw != refused {
			t.Errorf("%s: %d %s", name, a.status, a.raw)
		}
	}
	if a := nobody.send("GET", Path+"/calls/"+uuid(2), "", bearer("bearer "+c.token)...); a.status != 200 {
		t.Errorf("a scheme in lower case: %d %s", a.status, a.raw)
	}
	c.window = "toolu_2"
	if a := c.call(3, "kit.echo", `{"text":"x"}`); a.status != 409 {
		t.Errorf("an unknown window: %d %s", a.status, a.raw)
	}
}

// Nothing but the two routes is there.
func TestOnlyTwoRoutes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(nil), "toolu_1")
	for _, r := range []string{"GET /operations", "POST /calls/" + uuid(1), "GET /calls", "GET /calls/", "DELETE /calls/" + uuid(1), "GET /", "GET /operations/", "PUT /operations"} {
		method, path, _ := strings.Cut(r, " ")
		if a := c.send(method, Path+path, ""); a.status != 404 && a.status != 405 {
			t.Errorf("%s: %d %s", r, a.status, a.raw)
		}
	}
}

// Authority is judged before a byte of a body was sent (C15).
func TestAuthorityComesBeforeTheBody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(h.server.URL, "http://"))
	must(t, err)
	defer func() { _ = conn.Close() }()
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "POST %s/operations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\nContent-Length: 60000\r\n\r\n", Path)
	must(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 401 || string(raw) != refused {
		t.Errorf("%d %s", resp.StatusCode, raw)
	}
}

// The refusal is read however much was on its way.
func TestRefusedWithALargeBody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	nobody := client{h: h, url: h.server.URL, token: "nope"}
	for n := range 50 {
		if a := nobody.post(strings.Repeat(" ", 60<<10)); a.status != 401 || a.raw != refused {
			t.Fatalf("request %d: %d %s", n, a.status, a.raw)
		}
	}
}

// A body that is sent half keeps nothing waiting.
func TestHalfABody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.bodyTime = 50 * time.Millisecond
	_, c := h.window(h.open(nil), "toolu_1")
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(h.server.URL, "http://"))
	must(t, err)
	defer func() { _ = conn.Close() }()
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = fmt.Fprintf(conn, "POST %s/operations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 600\r\n\r\n{\"operation\":", Path, c.token)
	must(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	_ = resp.Body.Close()
	if resp.StatusCode != 422 {
		t.Errorf("%d", resp.StatusCode)
	}
}

// The bounds of a body, and a connection that is used on after a refusal.
func TestBodyBounds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(nil), "toolu_1")
	padded := func(n int) string {
		const list = `{"operation":"tools.list","limit":1}`
		return list + strings.Repeat(" ", n-len(list))
	}
	if a := c.post(padded(65536)); a.status != 200 {
		t.Errorf("64 KiB: %d %.200s", a.status, a.raw)
	}
	if a := c.post(padded(65537)); a.status != 413 || a.text("code") != string(CodeTooLarge) {
		t.Errorf("64 KiB and one: %d %.200s", a.status, a.raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), "POST", c.url+Path+"/operations", io.MultiReader(strings.NewReader(padded(65536)), strings.NewReader(" ")))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := http.DefaultClient.Do(req) // in chunks: the length is not known before
	must(t, err)
	_ = resp.Body.Close()
	if resp.StatusCode != 413 {
		t.Errorf("in chunks: %d", resp.StatusCode)
	}
	if a := c.post(padded(100)); a.status != 200 {
		t.Errorf("after a refusal: %d %.200s", a.status, a.raw)
	}
}

// A request is held until the call has its end, and leaving cancels nothing (C09).
func TestHolding(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, c := h.window(h.open(nil), "toolu_1")
	if a := c.submit(1, "kit.block", `{}`); a.text("status") == "completed" {
		t.Errorf("an answer that nobody asked to hold: %s", a.raw)
	}
	<-h.kit.entered
	ctx, leave := context.WithCancel(t.Context())
	left := ends(t, func() error {
		req, err := http.NewRequestWithContext(ctx, "GET", c.url+Path+"/calls/"+uuid(1)+"?wait=10", nil)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+c.token)
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err
	})
	leave()
	if err := left(); !errors.Is(err, context.Canceled) {
		t.Errorf("the client that left: %v", err)
	}
	held := ends(t, func() answer { return c.send("GET", Path+"/calls/"+uuid(1)+"?wait=10", "") })
	joined := ends(t, func() answer { return c.call(1, "kit.block", `{}`) })
	close(h.kit.release)
	if a, b := held(), joined(); a.text("status") != "completed" || a.raw != b.raw || h.kit.count("block") != 1 {
		t.Errorf("after %d runs: %s\n%s", h.kit.count("block"), a.raw, b.raw)
	}
}

func TestHowLong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"0": 0, "3": 3 * time.Second, "10": 10 * time.Second, "11": 10 * time.Second, "86400": 10 * time.Second,
		"": 0, "-1": 0, "1.5": 0, "x": 0, "99999999999999999999": 0,
	} {
		if got := seconds(text); got != want {
			t.Errorf("wait=%s is %s, want %s", text, got, want)
		}
	}
	for header, want := range map[string]time.Duration{"wait=4": 4 * time.Second, "respond-async, wait=4": 4 * time.Second, `wait="4"`: 4 * time.Second, "await=4": 0, "": 0} {
		if got := preferred([]string{header}); got != want {
			t.Errorf("Prefer: %s is %s, want %s", header, got, want)
		}
	}
}

// Two thousand held requests are answered at once when their call ends.
func TestManyHolders(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	_, c := h.window(o, "toolu_1")
	c.submit(1, "kit.block", `{}`)
	<-h.kit.entered
	call := o.find(uuid(1))
	const holders = 2000
	got := make(chan any, holders)
	for range holders {
		h.group.Go("holder", func(ctx context.Context) error {
			answer, _ := o.held(ctx, call, time.Now().Add(patience))
			got <- answer
			return nil
		})
	}
	close(h.kit.release)
	for range holders {
		if r, ok := (<-got).(receipt); !ok || r.Status != completed {
			t.Fatalf("a holder got %+v", r)
		}
	}
}

// A grant that is revoked while a body arrives admits nothing (C20).
func TestRevokedWhileTheBodyArrives(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	_, c := h.window(o, "toolu_1")
	read, write := io.Pipe()
	started := make(chan struct{})
	answered := ends(t, func() int {
		req, err := http.NewRequestWithContext(t.Context(), "POST", c.url+Path+"/operations", read)
		if err != nil {
			return 0
		}
		req.Header.Set("Authorization", "Bearer "+c.token)
		req.Header.Set(WindowHeader, c.window)
		close(started)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0
		}
		defer func() { _ = resp.Body.Close() }()
		return resp.StatusCode
	})
	<-started
	body := fmt.Sprintf(`{"operation":"tools.call","call_id":%q,"toolkit":"kit","function":"echo","arguments":{"text":"x"}}`, uuid(1))
	_, err := io.WriteString(write, body[:20]) // somebody reads: the grant was good
	must(t, err)
	o.Cancel(t.Context())
	_, _ = io.WriteString(write, body[20:])
	_ = write.Close()
	if status := answered(); status != 401 || h.kit.count("echo") != 0 {
		t.Errorf("%d after %d runs", status, h.kit.count("echo"))
	}
}

// Neither the grant nor its digest can be printed.
func TestNothingPrintsAGrant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	o := h.open(nil)
	scope, c := h.window(o, "toolu_1")
	text := fmt.Sprintf("%v %+v %#v %s %q %x|%v|%v %+v %x", o, o, o, o, o, o, o.token, o.digest, o.digest, o.digest)
	for _, s := range []string{c.token, fmt.Sprintf("%x", [32]byte(o.digest))} {
		if strings.Contains(text, s) {
			t.Errorf("printed: %s", text)
		}
	}
	if len(c.token) != 43 {
		t.Errorf("a grant of %d characters", len(c.token))
	}
	_, err := o.Open(t.Context(), tool.Ref{Door: tool.DoorTurn, Owner: "turn-of-another", ID: "1.1.x"})
	if err == nil || strings.Contains(err.Error(), c.token) {
		t.Errorf("another turn's command: %v", err)
	}
	scope.Close(t.Context())
}
