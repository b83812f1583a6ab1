package turncli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// client speaks the protocol as mindroom-agent does, from its environment.
type client struct {
	h                  *house
	url, token, window string
}

func (h *house) client(env []string) client {
	c := client{h: h}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		switch name {
		case EnvURL:
			c.url = value
		case EnvToken:
			c.token = value
		case EnvWindow:
			c.window = value
		}
	}
	return c
}

// answer is what came back.
type answer struct {
	status int
	raw    string
	body   map[string]any
}

func (a answer) text(name string) string { s, _ := a.body[name].(string); return s }

func (a answer) outcome(name string) string {
	m, _ := a.body["outcome"].(map[string]any)
	s, _ := m[name].(string)
	return s
}

func (c client) send(method, path, body string, header ...string) answer {
	req, err := http.NewRequestWithContext(c.h.t.Context(), method, c.url+path, strings.NewReader(body))
	must(c.h.t, err)
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.window != "" {
		req.Header.Set(WindowHeader, c.window)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{raw: err.Error()}
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	must(c.h.t, err)
	a := answer{status: resp.StatusCode, raw: string(raw)}
	_ = json.NewDecoder(bytes.NewReader(raw)).Decode(&a.body)
	return a
}

func (c client) post(body string, header ...string) answer {
	return c.send("POST", Path+"/operations", body, header...)
}

// uuid makes call ids that a test can count.
func uuid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// call submits a call and waits for its end as long as the server holds it.
func (c client) call(n int, name, args string) answer {
	return c.submit(n, name, args, "Prefer", "wait=10")
}

func (c client) submit(n int, name, args string, header ...string) answer {
	kit, function, _ := strings.Cut(name, ".")
	return c.post(fmt.Sprintf(`{"operation":"tools.call","call_id":%q,"toolkit":%q,"function":%q,"arguments":%s}`, uuid(n), kit, function, args), header...)
}

// asks makes a call about which a person is asked, and waits for the question.
func (c client) asks(n int) {
	c.h.t.Helper()
	c.submit(n, "kit.ask", `{"text":"x"}`)
	c.until(n, "waiting")
}

func (c client) receipt(n int) answer { return c.send("GET", Path+"/calls/"+uuid(n), "") }

// until polls a receipt until its status is one of those given.
func (c client) until(n int, statuses ...string) answer {
	c.h.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		a := c.receipt(n)
		for _, s := range statuses {
			if a.text("status") == s {
				return a
			}
		}
		if time.Now().After(deadline) {
			c.h.t.Fatalf("call %d never became %v: %s", n, statuses, a.raw)
		}
		time.Sleep(time.Millisecond)
	}
}
