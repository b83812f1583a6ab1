package wirekit

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"mindroom/internal/canonical"
)

// Prefix is where the protocol's routes lie.
const Prefix = "/api/script-gateway"

// Tool is a function a script may call. It returns a JSON value, or an error to put into a failed receipt.
type Tool func(ctx context.Context, arguments canonical.Doc) (json.RawMessage, *ReceiptError)

// Run is one live run of a FakeGateway: its capability and what it may call, by "toolkit.function".
type Run struct {
	ID, Token string
	Tools     map[string]Tool
	Limit     int // new calls the run may make in all; 0: unlimited. Beyond it: 429 with Retry-After: 1
}

// FakeGateway serves the public protocol from memory. Start it with NewFakeGateway, end it with Close.
type FakeGateway struct {
	// Hold is how long an answer may be held for a receipt to become final; Prefer: wait=N asks for less. 0, the value at
	// the start, answers at once, as the public server does. Set it before the first request.
	Hold time.Duration

	server  *httptest.Server
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu     sync.Mutex
	runs   map[string]*runState
	faults []Fault
	seen   []Fault
}

type runState struct {
	Run
	lane  sync.Mutex // one tool body at a time
	calls map[string]*callState
}

type callState struct {
	receipt Receipt
	settled chan struct{}
}

// NewFakeGateway listens on a loopback port and serves the given runs.
func NewFakeGateway(runs ...Run) *FakeGateway {
	g := &FakeGateway{runs: map[string]*runState{}}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	for _, run := range runs {
		g.runs[run.ID] = &runState{Run: run, calls: map[string]*callState{}}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+Prefix+"/calls", g.submit)
	mux.HandleFunc("GET "+Prefix+"/runs/{run}/calls/{call}", g.poll)
	g.server = httptest.NewServer(mux)
	return g
}

// URL is the base address for scripts, Prefix included.
func (g *FakeGateway) URL() string { return g.server.URL + Prefix }

// Close cancels the calls that still run, waits for them, and closes every connection.
func (g *FakeGateway) Close() {
	g.cancel()
	g.server.CloseClientConnections()
	g.server.Close()
	g.running.Wait()
}

// Fail appends faults for the next requests, one each; NoFault lets one through unharmed.
func (g *FakeGateway) Fail(faults ...Fault) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.faults = append(g.faults, faults...)
}

// Revoke ends a run's capability: from now on it is refused like an unknown one.
func (g *FakeGateway) Revoke(runID string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.runs, runID)
}

// Committed lists the faults that were committed so far, in order, without NoFault.
func (g *FakeGateway) Committed() []Fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]Fault(nil), g.seen...)
}

// Receipts gives every receipt of a run, in no order.
func (g *FakeGateway) Receipts(runID string) []Receipt {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []Receipt
	if run := g.runs[runID]; run != nil {
		for _, call := range run.calls {
			all = append(all, call.receipt)
		}
	}
	return all
}

// authenticate finds the run of the bearer. It asks for the token alone, so that it can be asked before a body is read.
func (g *FakeGateway) authenticate(r *http.Request) *runState {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, run := range g.runs {
		if subtle.ConstantTimeCompare([]byte(run.Token), []byte(token)) == 1 {
			return run
		}
	}
	return nil
}

func (g *FakeGateway) nextFault() Fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.faults) == 0 {
		return NoFault
	}
	fault := g.faults[0]
	g.faults = g.faults[1:]
	if fault != NoFault {
		g.seen = append(g.seen, fault)
	}
	return fault
}
