package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mindroom/internal/canonical"
)

const (
	token  = "sesame-0123456789"
	window = "call_1|w"
)

// exchange is one request that a desk expects and what it answers.
type exchange struct {
	// method, and for GET the path, for POST the canonical body; * is anything.
	method, wants string
	// how is a status, or: close (no answer), half (of a body), chunks, early (interim responses first), late (once release is
	// closed), or hold (until the client goes).
	how, answer string
}

// desk is a server that plays one exchange after the other. $ID in what it expects and answers is the call's id of the last submission.
type desk struct {
	*httptest.Server

	mu    sync.Mutex
	left  []exchange
	id    string
	count int
	heard *sync.Cond // of count
	wrong []string
	// release lets what is late be answered.
	release chan struct{}
}

// open reads exchanges, two lines each, the first METHOD WANTS and the second HOW ANSWER, and serves them.
func open(text string) *desk {
	d := &desk{release: make(chan struct{})}
	d.heard = sync.NewCond(&d.mu)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		var e exchange
		e.method, e.wants, _ = strings.Cut(strings.TrimSpace(lines[i]), " ")
		e.how, e.answer, _ = strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		d.left = append(d.left, e)
	}
	d.Server = httptest.NewServer(d)
	return d
}

// play is open for a Go test, which fails where the desk finds fault.
func play(t testing.TB, text string) *desk {
	t.Helper()
	d := open(text)
	t.Cleanup(func() {
		for _, wrong := range d.end() {
			t.Error(wrong)
		}
	})
	return d
}

// end stops serving and tells what was wrong, exchanges that nobody asked for among it.
func (d *desk) end() []string {
	d.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.left {
		d.complain("nobody asked %s %s", e.method, e.wants)
	}
	d.left = nil
	return d.wrong
}

// complain is called with the lock held.
func (d *desk) complain(format string, args ...any) {
	d.wrong = append(d.wrong, fmt.Sprintf(format, args...))
}

// environment is what a shell command is given.
func (d *desk) environment() []string {
	return []string{"MINDROOM_AGENT_CLI_URL=" + d.URL, "MINDROOM_AGENT_CLI_TOKEN=" + token, "MINDROOM_AGENT_CLI_WINDOW=" + window}
}

// await waits until that many requests were heard.
func (d *desk) await(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for d.count < n {
		d.heard.Wait()
	}
}

func (d *desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e, ok := d.next(r)
	if !ok {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	switch e.how {
	case "close":
		panic(http.ErrAbortHandler)
	case "half":
		w.Header().Set("Content-Length", strconv.Itoa(len(e.answer)+1))
		_, _ = io.WriteString(w, e.answer)
	case "late":
		<-d.release
		_, _ = io.WriteString(w, e.answer)
	case "hold":
		<-r.Context().Done()
	case "chunks":
		for _, c := range []byte(e.answer) {
			_, _ = w.Write([]byte{c})
			w.(http.Flusher).Flush()
		}
	case "early":
		w.Header().Set("Link", "</x>; rel=preload")
		w.WriteHeader(http.StatusProcessing)
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.WriteString(w, e.answer)
	default:
		status, err := strconv.Atoi(e.how)
		if err != nil {
			panic("no way to answer: " + e.how)
		}
		if status/100 == 3 {
			w.Header().Set("Location", e.answer)
			e.answer = ""
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, e.answer)
	}
}

// next takes the exchange that is on and judges the request.
func (d *desk) next(r *http.Request) (exchange, bool) {
	body, err := io.ReadAll(r.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.complain("reading a request: %v", err)
	}
	d.count++
	d.heard.Broadcast()
	said := r.RequestURI
	if r.Method == "POST" {
		said = string(body)
		d.judge(r, body)
	}
	if len(d.left) == 0 {
		d.complain("asked once more: %s %s", r.Method, said)
		return exchange{}, false
	}
	e := d.left[0]
	d.left = d.left[1:]
	if wants := strings.ReplaceAll(e.wants, "$ID", d.id); r.Method != e.method || wants != "*" && wants != said {
		d.complain("asked %s %s\n want %s %s", r.Method, said, e.method, wants)
	}
	if r.Header.Get("Authorization") != "Bearer "+token || r.Header.Get("X-MindRoom-Agent-CLI-Window") != window {
		d.complain("asked in the name of %q, %q", r.Header.Get("Authorization"), r.Header.Get("X-MindRoom-Agent-CLI-Window"))
	}
	e.answer = strings.ReplaceAll(e.answer, "$ID", d.id)
	return e, true
}

// judge holds the form of a submission: one route, canonical JSON.
func (d *desk) judge(r *http.Request, body []byte) {
	doc, err := canonical.Parse(body, canonical.Limits{Bytes: 65536, Unique: true})
	if err != nil || !bytes.Equal(doc.Canonical(), body) || r.RequestURI != "/api/agent-cli/operations" || r.Header.Get("Content-Type") != "application/json" {
		d.complain("%s is no submission (%v): %s", r.RequestURI, err, body)
	}
	var named struct {
		ID string `json:"call_id"`
	}
	if json.Unmarshal(body, &named) == nil && named.ID != "" {
		d.id = named.ID
	}
}

// receipt is a receipt of the last submission.
func receipt(status, outcome string) string {
	return fmt.Sprintf(`{"attachments":[],"call_id":"$ID","function":"b","outcome":%s,"parent_bash_call_id":"call_1|w","status":%q,"toolkit":"a"}`, outcome, status)
}
