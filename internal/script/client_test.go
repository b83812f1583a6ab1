package script_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"mindroom/internal/script"
	"mindroom/internal/tool"
)

// client is a gateway client that sends exactly what it is told.
type client struct {
	h     *house
	run   string
	token string
}

func (h *house) client(run *script.Run) client { return client{h, string(run.ID), h.token(run)} }

type answer struct {
	status int
	header http.Header
	raw    []byte
	body   struct {
		Run      string          `json:"run_id"`
		ID       string          `json:"call_id"`
		Toolkit  string          `json:"toolkit_name"`
		Function string          `json:"function_name"`
		Digest   string          `json:"arguments_digest"`
		State    string          `json:"state"`
		Result   json.RawMessage `json:"result"`
		Error    *tool.Fault     `json:"error"`
		Detail   string          `json:"detail"`
	}
}

func (c client) do(method, path, body string, header ...string) answer {
	c.h.t.Helper()
	req, err := http.NewRequestWithContext(c.h.t.Context(), method, c.h.server.URL+script.GatewayPath+path, strings.NewReader(body))
	must(c.h.t, err)
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.h.server.Client().Do(req)
	must(c.h.t, err)
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	a.raw, err = io.ReadAll(res.Body)
	must(c.h.t, err)
	if err := json.NewDecoder(bytes.NewReader(a.raw)).Decode(&a.body); err != nil {
		c.h.t.Fatalf("%s %s: %d %q: %v", method, path, res.StatusCode, a.raw, err)
	}
	return a
}

func (c client) body(id, function, arguments string) string {
	return fmt.Sprintf(`{"run_id":%q,"call_id":%q,"toolkit_name":"probe","function_name":%q,"arguments":%s}`, c.run, id, function, arguments)
}

func (c client) call(id, function, arguments string, header ...string) answer {
	c.h.t.Helper()
	return c.do(http.MethodPost, "/calls", c.body(id, function, arguments), header...)
}

func (c client) receipt(id string, header ...string) answer {
	c.h.t.Helper()
	return c.do(http.MethodGet, "/runs/"+c.run+"/calls/"+id, "", header...)
}
