package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"sync"
	"time"
)

// callersMode is the argument with which this program is a load instead of a
// measuring: its own memory and CPU must not count as the primary's.
const callersMode = "callers"

// callersPlan is what the load does: Calls calls of Function, run after run in
// turn, each run over a connection of its own.
type callersPlan struct {
	URL      string      `json:"url"`
	Runs     []callerRun `json:"runs"`
	Function string      `json:"function"`
	// Rate is in calls a second over all runs; 0 is all at once.
	Rate  int `json:"rate"`
	Calls int `json:"calls"`
}

// startCallers starts the load. The returned function waits for its end and
// tells what each call took, in milliseconds.
func startCallers(ctx context.Context, p callersPlan) (wait func() (sample, error), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, callersMode)
	// Capabilities travel by the pipe: an argument is seen by everybody.
	cmd.Stdin = bytes.NewReader(raw)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() (sample, error) {
		if err := cmd.Wait(); err != nil {
			return nil, fmt.Errorf("the callers: %w", err)
		}
		var took sample
		err := json.Unmarshal(out.Bytes(), &took)
		if err == nil && len(took) != p.Calls {
			err = fmt.Errorf("the callers tell of %d calls, not %d", len(took), p.Calls)
		}
		return took, err
	}, nil
}

// runCallers is this program as a load.
func runCallers(in io.Reader, out, errs io.Writer) int {
	var p callersPlan
	err := json.NewDecoder(in).Decode(&p)
	if err == nil {
		var took sample
		if took, err = p.run(); err == nil {
			err = json.NewEncoder(out).Encode(took)
		}
	}
	if err != nil {
		fmt.Fprintf(errs, "bench callers: %v\n", err)
		return 1
	}
	return 0
}

// run makes the calls. One goroutine a run: like a script, a run has at most
// one call under way.
func (p callersPlan) run() (sample, error) {
	conns := make([]*conn, len(p.Runs))
	for i := range conns {
		var err error
		if conns[i], err = dial(p.URL, p.Runs[i]); err != nil {
			return nil, err
		}
		defer conns[i].Close()
	}
	took := make(sample, p.Calls)
	errs := make([]error, len(conns))
	start := time.Now()
	var wg sync.WaitGroup
	for c := range conns {
		wg.Go(func() {
			for i := c; i < p.Calls && errs[c] == nil; i += len(conns) {
				due := start
				if p.Rate > 0 {
					due = start.Add(time.Duration(i) * time.Second / time.Duration(p.Rate))
					time.Sleep(time.Until(due))
				}
				errs[c] = conns[c].call(p.Function, i)
				took[i] = milliseconds(time.Since(due))
			}
		})
	}
	wg.Wait()
	return took, errors.Join(errs...)
}

// conn is one run's connection: as little client as there can be, so that it
// takes little from what is measured on the same cores.
type conn struct {
	net.Conn
	r    *bufio.Reader
	base *url.URL
	run  callerRun
}

func dial(base string, run callerRun) (*conn, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, r: bufio.NewReaderSize(c, 1024), base: u, run: run}, nil
}

// call makes one call and waits for its terminal receipt, which the gateway
// holds the answer for.
func (c *conn) call(function string, n int) error {
	arguments := "{}"
	if function == "noop" {
		arguments = fmt.Sprintf(`{"n":%d}`, n)
	}
	body := fmt.Sprintf(`{"run_id":%q,"call_id":"call-%s-%d","toolkit_name":"bench","function_name":%q,"arguments":%s}`,
		c.run.ID, function, n, function, arguments)
	if _, err := fmt.Fprintf(c, "POST %s/calls HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		c.base.Path, c.base.Host, c.run.Token, len(body), body); err != nil {
		return err
	}
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	var receipt struct {
		State string `json:"state"`
	}
	if err := json.Unmarshal(raw, &receipt); err != nil || res.StatusCode != http.StatusOK || receipt.State != "completed" {
		return fmt.Errorf("a call of %s was answered %d: %s", function, res.StatusCode, raw)
	}
	return nil
}
