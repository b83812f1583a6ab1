package agentcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mindroom/internal/agentcli/http1"
	"mindroom/internal/canonical"
)

// The two routes (C15).
const (
	PathOperations = "/api/agent-cli/operations"
	PathCalls      = "/api/agent-cli/calls/"
)

const (
	// patience is how long an answer may take, the time that the server was asked to hold it included (spec/agentcli.md 2.1).
	patience = 30 * time.Second
	// longPatience is for what may have to load a toolkit or start a server of it first; giving up at 30 s would only make an agent
	// ask again for what is nearly there.
	longPatience = 2 * time.Minute
	// again is how long to wait before the one retry of a connection that was refused: a listener that is being replaced is back by then.
	again = 200 * time.Millisecond
)

// client carries out one order.
type client struct {
	ctx       context.Context
	authority authority
	http      http1.Client
	stdin     io.Reader
	// note tells a person what the document does not say.
	note func(text string)
	// slow is called before anything that takes longer than a moment.
	slow func()
}

// post submits one operation. hold is how long the server may keep the answer back while a call is not over; 0 sends no such wish.
func (c *client) post(fields map[string]any, hold, limit time.Duration) (document, *failure) {
	doc, err := canonical.FromValue(fields)
	if err != nil {
		return document{}, invalid("the arguments of the command line are no UTF-8 text")
	}
	body := doc.Canonical()
	if len(body) > maxDocument {
		return document{}, invalid("the request is over 65536 bytes").because("pass long content by a file in the workspace and name the file in the arguments")
	}
	var header [][2]string
	if n := seconds(hold); n > 0 {
		header = [][2]string{{"Prefer", fmt.Sprintf("wait=%d", n)}}
	}
	return c.ask(http1.Request{Method: "POST", Path: PathOperations, Header: header, Body: body}, limit)
}

// get reads a receipt.
func (c *client) get(id string, hold, limit time.Duration) (document, *failure) {
	path := PathCalls + id
	if n := seconds(hold); n > 0 {
		path += fmt.Sprintf("?wait=%d", n)
	}
	return receipt(id)(c.ask(http1.Request{Method: "GET", Path: path}, limit))
}

// receipt holds that an answer is the receipt of a call: anything else would end a script with the status of a success.
func receipt(id string) func(document, *failure) (document, *failure) {
	return func(d document, f *failure) (document, *failure) {
		if f == nil && (d.callID != id || d.status == "") {
			return document{}, unknown("the server's answer is no receipt of this call")
		}
		return d, f
	}
}

// ask sends a request and judges its response.
func (c *client) ask(q http1.Request, limit time.Duration) (document, *failure) {
	q.Header = append(q.Header, [2]string{"Authorization", "Bearer " + c.authority.token})
	if c.authority.window != "" {
		q.Header = append(q.Header, [2]string{HeaderWindow, c.authority.window})
	}
	ctx, cancel := context.WithTimeoutCause(c.ctx, limit, fmt.Errorf("no answer in %s", limit))
	defer cancel()
	resp, err := c.http.Do(ctx, q)
	if http1.Refused(err) && pause(ctx, again) {
		resp, err = c.http.Do(ctx, q)
	}
	if err != nil {
		return document{}, c.unreachable(err)
	}
	if resp.Status/100 != 2 {
		return document{}, refusal(resp)
	}
	d, ok := readDocument(resp.Body)
	if !ok {
		return document{}, unknown("the answer of %s is no strict JSON object within 64 KiB", c.authority.origin.URL)
	}
	return d, nil
}

// unreachable says what is known of a request without an answer; it names the address that was tried (M33).
func (c *client) unreachable(err error) *failure {
	url := c.authority.origin.URL
	var failed *http1.Error
	if errors.As(err, &failed) && !failed.Sent {
		return unknown("cannot connect to %s: %v; nothing was sent", url, err).
			because("check that MindRoom is running and reachable from this shell at that address")
	}
	return unknown("no usable answer from %s: %v; the outcome is unknown", url, err)
}

// pause waits and reports true, unless ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
