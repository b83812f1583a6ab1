package wirekit

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func unavailable() *refusal {
	return &refusal{status: http.StatusNotFound, detail: "The script tool gateway is not available."}
}

func (g *FakeGateway) submit(w http.ResponseWriter, r *http.Request) {
	fault := g.nextFault()
	if g.failEarly(w, r, fault) {
		return
	}
	run := g.authenticate(r)
	if run == nil {
		refuse(w, unavailable())
		return
	}
	s, refused := readSubmission(r)
	if refused != nil {
		refuse(w, refused)
		return
	}
	call, refused := g.claim(run, s)
	if refused != nil {
		refuse(w, refused)
		return
	}
	receipt := g.await(r, call)
	status := http.StatusAccepted
	if receipt.Terminal() {
		status = http.StatusOK
	}
	respond(w, fault, status, receipt)
}

func (g *FakeGateway) poll(w http.ResponseWriter, r *http.Request) {
	fault := g.nextFault()
	if g.failEarly(w, r, fault) {
		return
	}
	run := g.authenticate(r)
	if run == nil || run.ID != r.PathValue("run") {
		refuse(w, unavailable())
		return
	}
	g.mu.Lock()
	call := run.calls[r.PathValue("call")]
	g.mu.Unlock()
	if call == nil {
		refuse(w, unavailable())
		return
	}
	respond(w, fault, http.StatusOK, g.await(r, call))
}

// claim joins a call or accepts a new one: known id first, then the grant, then the quota.
func (g *FakeGateway) claim(run *runState, s submission) (*callState, *refusal) {
	if s.runID != run.ID {
		return nil, unavailable()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if call := run.calls[s.callID]; call != nil {
		if call.receipt.ToolkitName != s.toolkit || call.receipt.FunctionName != s.function || call.receipt.ArgumentsDigest != s.arguments.Digest() {
			return nil, &refusal{status: http.StatusConflict, detail: "the call id belongs to a different request"}
		}
		return call, nil
	}
	tool := run.Tools[s.toolkit+"."+s.function]
	if tool == nil {
		return nil, unavailable()
	}
	if run.Limit > 0 && len(run.calls) >= run.Limit {
		return nil, &refusal{status: http.StatusTooManyRequests, detail: "too many new calls", retryAfter: "1"}
	}
	call := &callState{settled: make(chan struct{}), receipt: Receipt{
		RunID: s.runID, CallID: s.callID, ToolkitName: s.toolkit, FunctionName: s.function, ArgumentsDigest: s.arguments.Digest(),
		State: "pending", CreatedAt: time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"),
	}}
	run.calls[s.callID] = call
	g.running.Go(func() {
		run.lane.Lock()
		result, failure := tool(g.ctx, s.arguments)
		run.lane.Unlock()
		g.mu.Lock()
		defer g.mu.Unlock()
		call.receipt.State, call.receipt.Result, call.receipt.Error = "completed", result, failure
		if failure != nil {
			call.receipt.State = "failed"
			if failure.Kind == "indeterminate" {
				call.receipt.State = "indeterminate"
			}
		}
		close(call.settled)
	})
	return call, nil
}

// await gives the receipt once it is final or the answer has been held long enough.
func (g *FakeGateway) await(r *http.Request, call *callState) Receipt {
	hold := g.Hold
	if value, ok := strings.CutPrefix(r.Header.Get("Prefer"), "wait="); ok {
		if seconds, err := strconv.Atoi(value); err == nil {
			hold = min(hold, time.Duration(seconds)*time.Second)
		}
	}
	if hold > 0 {
		timer := time.NewTimer(hold)
		defer timer.Stop()
		select {
		case <-call.settled:
		case <-timer.C:
		case <-r.Context().Done():
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return call.receipt
}

// failEarly commits the faults that come before any effect, and tells whether the request is over.
func (g *FakeGateway) failEarly(w http.ResponseWriter, r *http.Request, fault Fault) bool {
	switch fault {
	case DropBefore:
		panic(http.ErrAbortHandler)
	case Unavailable:
		refuse(w, &refusal{status: http.StatusServiceUnavailable, detail: "restarting", retryAfter: "0"})
	case TooMany:
		refuse(w, &refusal{status: http.StatusTooManyRequests, detail: "too many new calls", retryAfter: "0"})
	case ServerError:
		refuse(w, &refusal{status: http.StatusInternalServerError, detail: "broken"})
	case Redirect:
		http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
	default:
		return false
	}
	return true
}

func respond(w http.ResponseWriter, fault Fault, status int, receipt Receipt) {
	switch fault {
	case DropAfter:
		panic(http.ErrAbortHandler)
	case WrongDigest:
		receipt.ArgumentsDigest = strings.Repeat("0", 64)
	case UnknownState:
		receipt.State = "declined"
	}
	body := encode(receipt)
	if fault == NotJSON {
		body = []byte("<html>")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if fault == Truncate {
		w.Write(body[:len(body)/2])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	w.Write(body)
}

func refuse(w http.ResponseWriter, r *refusal) {
	w.Header().Set("Content-Type", "application/json")
	if r.retryAfter != "" {
		w.Header().Set("Retry-After", r.retryAfter)
	}
	w.WriteHeader(r.status)
	w.Write(encode(map[string]string{"detail": r.detail}))
}

func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only a tool of the test that returns no JSON gets here
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
