package agentcli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/agentcli/http1"
	"mindroom/internal/canonical"
)

// desk is a server in the time of a bubble: it has one call, which changes at fixed moments after its start.
type desk struct {
	begun time.Time
	// becomes are the moments at which the call takes the next of: queued, and then each status.
	becomes []change
	// holds is how long an answer is kept back at most; 0 is a server that knows no waiting.
	holds time.Duration
	// breaks is the number of the request, from 0 on, from which on connections are closed without an answer; negative: never.
	breaks int
	// refuses is how many connections are refused first.
	refuses int
	heard   []string
	open    sync.WaitGroup // connections
}

type change struct {
	at     time.Duration
	status string
}

func (d *desk) status() string {
	now := "queued"
	for _, c := range d.becomes {
		if time.Since(d.begun) >= c.at {
			now = c.status
		}
	}
	return now
}

// over is how long until the call is over.
func (d *desk) over() time.Duration {
	for _, c := range d.becomes {
		if !pending(c.status) {
			return c.at - time.Since(d.begun)
		}
	}
	return time.Hour
}

// serve answers the requests of one connection until the client closes it.
func (d *desk) serve(conn net.Conn) {
	defer conn.Close()
	for r := bufio.NewReader(conn); ; {
		q, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, q.Body); err != nil {
			return
		}
		wish := q.URL.Query().Get("wait")
		if wish == "" {
			wish = strings.TrimPrefix(q.Header.Get("Prefer"), "wait=")
		}
		d.heard = append(d.heard, fmt.Sprintf("%s %s %s", time.Since(d.begun), q.Method, wish))
		if d.breaks >= 0 && len(d.heard) > d.breaks {
			return
		}
		if hold, err := time.ParseDuration(wish + "s"); err == nil {
			time.Sleep(max(0, min(hold, d.holds, d.over())))
		}
		body := fmt.Sprintf(`{"call_id":%q,"status":%q,"outcome":null}`, id, d.status())
		if _, err := fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			return
		}
	}
}

// ended is how a command line ended.
type ended struct {
	document
	failure *failure
	notes   []string
	took    time.Duration
}

// carryOut carries out a command line against the desk in virtual time.
func (d *desk) carryOut(ctx context.Context, line string) (e ended) {
	o, err := parse(words(line))
	if err != nil {
		panic(err)
	}
	o.callID = id
	origin, err := http1.ParseOrigin("http://127.0.0.1:1")
	if err != nil {
		panic(err)
	}
	c := &client{ctx: ctx, authority: authority{origin: origin, token: "t"}, note: func(s string) { e.notes = append(e.notes, s) }, slow: func() {}}
	c.http = http1.Client{Origin: origin, Dial: func(context.Context) (net.Conn, error) {
		if d.refuses--; d.refuses >= 0 {
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}
		ours, theirs := net.Pipe()
		d.open.Go(func() { d.serve(theirs) })
		return ours, nil
	}}
	d.begun = time.Now()
	e.document, e.failure = o.spec.run(c, o)
	e.took = time.Since(d.begun)
	c.http.Close()
	d.open.Wait()
	return e
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		desk       *desk
		status     string // "" when there is no receipt
		took       time.Duration
		heard      string // moments, methods and wishes
		noted      string
	}{
		{"done at once", "tools call a b", &desk{becomes: []change{{0, "completed"}}, holds: 10 * time.Second, breaks: -1},
			"completed", 0, "0s POST 20", ""},
		{"held until it is done", "tools call a b", &desk{becomes: []change{{time.Second, "running"}, {3 * time.Second, "completed"}}, holds: 10 * time.Second, breaks: -1},
			"completed", 3 * time.Second, "0s POST 20", ""},
		{"held again and again", "tools call a b", &desk{holds: 10 * time.Second, breaks: -1},
			"queued", 30 * time.Second, "0s POST 20, 10s GET 20, 20s GET 10", ""},
		{"not waited for", "tools call a b --timeout 0", &desk{holds: 10 * time.Second, breaks: -1},
			"queued", 0, "0s POST ", ""},
		{"a server that does not hold", "tools call a b --timeout 2", &desk{becomes: []change{{50 * time.Millisecond, "running"}, {500 * time.Millisecond, "failed"}}, breaks: -1},
			"failed", 600 * time.Millisecond, "0s POST 2, 200ms GET 2, 400ms GET 2, 600ms GET 1", ""},
		{"no read at the deadline", "calls wait x --timeout 1", &desk{becomes: []change{{0, "waiting"}}, breaks: -1},
			"waiting", time.Second, "0s GET 1, 200ms GET 1, 400ms GET 1, 600ms GET , 800ms GET ", ""},
		{"one read", "calls wait x --timeout 0", &desk{becomes: []change{{0, "running"}}, holds: 10 * time.Second, breaks: -1},
			"running", 0, "0s GET ", ""},
		{"get does not wait", "calls get x", &desk{becomes: []change{{0, "running"}}, holds: 10 * time.Second, breaks: -1},
			"running", 0, "0s GET ", ""},
		{"waited for longer than the server holds", "calls wait x --timeout 25", &desk{becomes: []change{{24 * time.Second, "cancelled"}}, holds: 10 * time.Second, breaks: -1},
			"cancelled", 24 * time.Second, "0s GET 20, 10s GET 15, 20s GET 5", ""},
		{"a poll that fails hides nothing", "tools call a b", &desk{becomes: []change{{0, "running"}}, breaks: 2},
			// The read on the kept connection is tried once more on a fresh one.
			"running", 400 * time.Millisecond, "0s POST 20, 200ms GET 20, 400ms GET 20, 400ms GET 20", "waiting stopped"},
		{"a wait that fails hides nothing", "calls wait x", &desk{becomes: []change{{0, "running"}}, breaks: 1},
			"running", 200 * time.Millisecond, "0s GET 20, 200ms GET 20, 200ms GET 20", "waiting stopped"},
		{"a listener that is just being replaced", "tools call a b", &desk{becomes: []change{{0, "completed"}}, refuses: 1, breaks: -1},
			"completed", 200 * time.Millisecond, "200ms POST 20", ""},
		{"no listener", "tools call a b", &desk{refuses: 2, breaks: -1}, "", 200 * time.Millisecond, "", ""},
		{"the submission fails", "tools call a b", &desk{}, "", 0, "0s POST 20", ""},
		{"the first read fails", "calls wait x", &desk{}, "", 0, "0s GET 20", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				line := strings.Replace(c.line, " x", " "+id, 1)
				e := c.desk.carryOut(t.Context(), line)
				f := e.failure
				if (f != nil) != (c.status == "") || e.status != c.status || e.took != c.took {
					t.Errorf("%q after %s, %+v; want %q after %s", e.status, e.took, f, c.status, c.took)
				}
				if f != nil && f.exit != ExitUnknown {
					t.Errorf("the exit status would be %d", f.exit)
				}
				if got := strings.Join(c.desk.heard, ", "); got != c.heard {
					t.Errorf("heard %s\n want %s", got, c.heard)
				}
				if said := strings.Join(e.notes, "; "); (said == "") != (c.noted == "") || !strings.Contains(said, c.noted) {
					t.Errorf("said %q, want %q", said, c.noted)
				}
			})
		})
	}
}

// TestInterrupted holds that the end of the program's time leaves the last receipt, wherever the waiting is.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	for name, holds := range map[string]time.Duration{"between two reads": 0, "while the server holds": 10 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10500*time.Millisecond)
				defer cancel()
				desk := &desk{becomes: []change{{0, "running"}}, holds: holds, breaks: -1}
				e := desk.carryOut(ctx, "tools call a b")
				if e.failure != nil || e.status != "running" || len(e.notes) != 1 || e.took != 10500*time.Millisecond {
					t.Errorf("%+v", e)
				}
			})
		})
	}
	t.Run("before the first answer", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			desk := &desk{holds: 10 * time.Second, breaks: -1}
			f := desk.carryOut(ctx, "tools call a b").failure
			if f == nil || f.exit != ExitUnknown || !strings.Contains(f.hint, "calls get "+id) {
				t.Errorf("%+v", f)
			}
		})
	})
}

// TestSilence holds that a server which says nothing is given up: after 30 s, and in the last seconds of a wait sooner.
func TestSilence(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]time.Duration{"tools call a b": patience, "tools list": patience, "tools describe a b": longPatience} {
		synctest.Test(t, func(t *testing.T) {
			desk := &desk{}
			o, err := parse(words(line))
			if err != nil {
				t.Fatal(err)
			}
			o.callID = id
			c := &client{ctx: t.Context(), slow: func() {}}
			silent := make(chan net.Conn, 1)
			c.http.Dial = func(context.Context) (net.Conn, error) {
				ours, theirs := net.Pipe()
				silent <- theirs
				go func() { _, _ = io.Copy(io.Discard, theirs) }()
				return ours, nil
			}
			desk.begun = time.Now()
			_, f := o.spec.run(c, o)
			c.http.Close()
			_ = (<-silent).Close()
			if took := time.Since(desk.begun); f == nil || f.exit != ExitUnknown || took != want || !strings.Contains(f.text, "no answer in "+want.String()) {
				t.Errorf("%s: %+v after %s, want %s", line, f, took, want)
			}
		})
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	var got []int
	for _, hold := range []time.Duration{0, -time.Second, 499 * time.Millisecond, 500 * time.Millisecond, 29900 * time.Millisecond, time.Hour, 9980 * time.Millisecond} {
		got = append(got, seconds(hold))
	}
	if want := []int{0, -1, 0, 1, 20, 20, 10}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestFields holds the request bodies of spec/agentcli.md 2.3.
func TestFields(t *testing.T) {
	t.Parallel()
	within := "calendar"
	for want, m := range map[string]map[string]any{
		`{"limit":100,"operation":"tools.list"}`:                                     fields("tools.list", "cursor", (*string)(nil), "limit", int64(100)),
		`{"limit":20,"operation":"tools.search","query":"a b","toolkit":"calendar"}`: fields("tools.search", "query", "a b", "toolkit", &within, "limit", int64(20)),
		`{"arguments":{},"operation":"tools.check"}`:                                 fields("tools.check", "arguments", canonical.EmptyObject),
	} {
		doc, err := canonical.FromValue(m)
		if err != nil || string(doc.Canonical()) != want {
			t.Errorf("%s, %v; want %s", doc.Canonical(), err, want)
		}
	}
}
