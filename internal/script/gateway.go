package script

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mindroom/internal/tool"
	"mindroom/internal/unread"
)

// GatewayPath is where the gateway's routes are served.
const GatewayPath = "/api/script-gateway"

// maxBody bounds a request of the gateway, in bytes.
const maxBody = 64 << 10

// Routes registers the gateway's two routes. They are authenticated by a live
// capability alone and expose nothing else (S82).
func (m *Manager) Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+GatewayPath+"/calls", m.postCall)
	mux.HandleFunc("GET "+GatewayPath+"/runs/{run}/calls/{call}", m.getReceipt)
}

// authenticate finds the run of a request's capability. Every refusal is the
// same 404, and it is given before the body is read. Only who holds a live
// capability learns that the gateway is not ready (503).
func (m *Manager) authenticate(w http.ResponseWriter, r *http.Request) *live {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		token = ""
	}
	// The capability is found by its hash: how long looking takes tells nothing
	// about any capability that would be accepted.
	hash := hashToken(strings.TrimSpace(token))
	m.mu.Lock()
	lv := m.byToken[hash]
	m.mu.Unlock()
	if lv == nil || lv.revoked.Load() {
		unread.Answer(w, r)
		refuse(w)
		return nil
	}
	if !m.Admitting() {
		unread.Answer(w, r)
		notReady(w, "the runtime is not ready; try again")
		return nil
	}
	return lv
}

// authorise checks that the run's requester may use its agent now (S15).
func (m *Manager) authorise(w http.ResponseWriter, r *http.Request, lv *live) bool {
	switch m.cfg.Authority.May(r.Context(), lv.run.Who, m.cfg.Snapshots.Current()) {
	case tool.Yes:
		return true
	case tool.No:
		// The pass that follows ends the run.
		m.Poke()
		refuse(w)
	default:
		notReady(w, "it cannot be told yet whether the requester may use the agent; try again")
	}
	return false
}

func (m *Manager) postCall(w http.ResponseWriter, r *http.Request) {
	lv := m.authenticate(w, r)
	if lv == nil {
		return
	}
	req, status, detail := readRequest(w, r)
	if status != 0 {
		writeDetail(w, status, detail)
		return
	}
	if req.run != string(lv.run.ID) {
		refuse(w)
		return
	}
	if !m.authorise(w, r, lv) {
		return
	}
	until := time.Now().Add(m.hold(r))
	known, p, err := m.submit(r.Context(), lv, req.submission)
	if err != nil {
		m.submitRefused(w, err)
		return
	}
	m.answer(w, r.Context(), lv, known, p, until, http.StatusAccepted)
}

func (m *Manager) getReceipt(w http.ResponseWriter, r *http.Request) {
	lv := m.authenticate(w, r)
	if lv == nil {
		return
	}
	if r.PathValue("run") != string(lv.run.ID) {
		refuse(w)
		return
	}
	if !m.authorise(w, r, lv) {
		return
	}
	until := time.Now().Add(m.hold(r))
	known, p, err := m.known(r.Context(), lv, r.PathValue("call"))
	switch {
	case err != nil:
		m.submitRefused(w, err)
	case known == nil:
		refuse(w)
	default:
		m.answer(w, r.Context(), lv, *known, p, until, http.StatusOK)
	}
}

// hold is how long a request waits for its receipt: what Prefer: wait=N asks
// for, within the bound. Calls are held, not polled; a client that only polls
// still works.
func (m *Manager) hold(r *http.Request) time.Duration {
	for _, part := range strings.Split(r.Header.Get("Prefer"), ",") {
		value, ok := strings.CutPrefix(strings.TrimSpace(part), "wait=")
		if !ok {
			continue
		}
		if n, err := strconv.Atoi(strings.Trim(value, `"`)); err == nil && n >= 0 && time.Duration(n)*time.Second < m.cfg.Hold {
			return time.Duration(n) * time.Second
		}
	}
	return m.cfg.Hold
}

// answer waits until the call ended, the time is over or the caller left, and
// writes the receipt as it is then. whilePending is the status of a receipt
// that is still pending.
func (m *Manager) answer(w http.ResponseWriter, ctx context.Context, lv *live, r receipt, p *pending, until time.Time, whilePending int) {
	if p != nil {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		select {
		case <-p.done:
			r = p.settled()
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
	if r.State == "" {
		// The executor ended without a stored receipt; the row tells.
		known, _, err := m.known(ctx, lv, r.ID)
		if err != nil || known == nil {
			notReady(w, "the receipt cannot be read right now; try again")
			return
		}
		r = *known
	}
	status := http.StatusOK
	if !r.terminal() {
		status = whilePending
	}
	writeReceipt(w, status, r)
}

func (m *Manager) submitRefused(w http.ResponseWriter, err error) {
	var rate *rateError
	switch {
	case errors.Is(err, errUnavailable):
		refuse(w)
	case errors.Is(err, errConflict):
		writeDetail(w, http.StatusConflict, "this call id belongs to a call of another function or with other arguments; make a new call")
	case errors.As(err, &rate):
		seconds := int64((rate.after + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(max(seconds, 1), 10))
		writeDetail(w, http.StatusTooManyRequests, "max_tool_calls_per_minute is used up; the same call can be sent again after Retry-After seconds")
	default:
		m.log.Error("a gateway request failed", "error", err)
		notReady(w, "the call cannot be stored right now; try again")
	}
}

// receiptBody is a receipt on the wire: these nine members and no other.
type receiptBody struct {
	Run      string          `json:"run_id"`
	ID       string          `json:"call_id"`
	Toolkit  string          `json:"toolkit_name"`
	Function string          `json:"function_name"`
	Digest   string          `json:"arguments_digest"`
	State    tool.State      `json:"state"`
	Created  string          `json:"created_at"`
	Result   json.RawMessage `json:"result"`
	Error    *tool.Fault     `json:"error"`
}

func writeReceipt(w http.ResponseWriter, status int, r receipt) {
	body := receiptBody{
		Run: string(r.Run), ID: r.ID, Toolkit: r.Name.Toolkit, Function: r.Name.Function,
		Digest: r.Digest, State: r.State, Created: r.createdText, Result: r.Result, Error: r.Fault,
	}
	if body.Result == nil {
		body.Result = json.RawMessage("null")
	}
	writeJSON(w, status, body)
}

// refuse is the one answer to every capability that is not good (S82).
func refuse(w http.ResponseWriter) { writeDetail(w, http.StatusNotFound, "not available") }

func notReady(w http.ResponseWriter, detail string) {
	w.Header().Set("Retry-After", "1")
	writeDetail(w, http.StatusServiceUnavailable, detail)
}

func writeDetail(w http.ResponseWriter, status int, detail string) {
	writeJSON(w, status, map[string]string{"detail": detail})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{"detail":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// The caller may be gone; its receipt is stored.
	_, _ = w.Write(raw)
}
