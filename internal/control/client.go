package control

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"mindroom/internal/config/reload"
	"mindroom/internal/script"
)

// Run is a run as an operator's command shows it.
type Run struct {
	ID        string    `json:"run_id"`
	Agent     string    `json:"agent_name"`
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Mode      string    `json:"execution_mode"`
	Created   time.Time `json:"created_at"`
	ExitCode  *int      `json:"exit_code"`
	Error     string    `json:"error"`
	Reason    string    `json:"cancellation_reason"`
	Requester string    `json:"-"`
	Room      string    `json:"-"`
	// Trouble is what keeps a run that has to end from being settled, and what to
	// restore; nil for nothing.
	Trouble *script.Trouble `json:"-"`
	// Raw is the whole object as the runtime gave it.
	Raw json.RawMessage `json:"-"`
}

// Output is a part of a run's output.
type Output struct {
	Text          string
	Offset, Total int64
	Live          bool
}

// Refusal is what the runtime answered instead of doing what was asked.
type Refusal struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Error is the runtime's sentence.
func (r *Refusal) Error() string { return r.Message }

// Client asks the running primary. Every method returns ErrNotRunning when
// there is none, and a *Refusal when it said no.
type Client struct{ http http.Client }

// NewClient makes a client of the socket in the control state folder dir.
func NewClient(dir string) *Client {
	return &Client{http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, dir) },
	}}}
}

// Close frees the client's connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// List are the runs, newest first. limit 0 means all.
func (c *Client) List(ctx context.Context, all bool, limit int) ([]Run, error) {
	var body struct{ Runs []json.RawMessage }
	q := url.Values{"all": {strconv.FormatBool(all)}, "limit": {strconv.Itoa(limit)}}
	if err := c.ask(ctx, http.MethodGet, "/runs?"+q.Encode(), &body); err != nil {
		return nil, err
	}
	runs := make([]Run, 0, len(body.Runs))
	for _, raw := range body.Runs {
		run, err := parseRun(raw)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// Configuration is how the configuration in force stands to what is on disk.
func (c *Client) Configuration(ctx context.Context) (reload.Standing, error) {
	var standing reload.Standing
	err := c.ask(ctx, http.MethodGet, "/configuration", &standing)
	return standing, err
}

// Show is one run.
func (c *Client) Show(ctx context.Context, id string) (Run, error) {
	return c.one(ctx, http.MethodGet, "/runs/"+url.PathEscape(id))
}

// Cancel ends a run and returns it as it is then.
func (c *Client) Cancel(ctx context.Context, id string, force bool) (Run, error) {
	return c.one(ctx, http.MethodPost, "/runs/"+url.PathEscape(id)+"/cancel?force="+strconv.FormatBool(force))
}

// Output is what a run wrote from offset on; it waits a while for more where
// there is none yet. A negative offset means the kept tail, at once.
func (c *Client) Output(ctx context.Context, id string, offset int64) (Output, error) {
	var out Output
	err := c.ask(ctx, http.MethodGet, "/runs/"+url.PathEscape(id)+"/output?offset="+strconv.FormatInt(offset, 10), &out)
	return out, err
}

func (c *Client) one(ctx context.Context, method, path string) (Run, error) {
	var raw json.RawMessage
	if err := c.ask(ctx, method, path, &raw); err != nil {
		return Run{}, err
	}
	return parseRun(raw)
}

func parseRun(raw json.RawMessage) (Run, error) {
	var body struct {
		Run       json.RawMessage `json:"run"`
		Requester string          `json:"requester_id"`
		Room      string          `json:"room_id"`
		Trouble   *script.Trouble `json:"trouble"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return Run{}, fmt.Errorf("control socket: %w", err)
	}
	var run Run
	if err := json.Unmarshal(body.Run, &run); err != nil {
		return Run{}, fmt.Errorf("control socket: %w", err)
	}
	run.Requester, run.Room, run.Trouble, run.Raw = body.Requester, body.Room, body.Trouble, raw
	return run, nil
}

// maxAnswer bounds an answer of the socket, in bytes.
const maxAnswer = 64 << 20

func (c *Client) ask(ctx context.Context, method, path string, to any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://control"+path, nil)
	if err != nil {
		return fmt.Errorf("control socket: %w", err)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("control socket: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		refusal := &Refusal{Message: res.Status}
		// An answer that is no refusal of ours keeps the status as its sentence.
		_ = json.Unmarshal(raw, refusal)
		return refusal
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("control socket: %w", err)
	}
	return nil
}
