package turncli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/lifecycle"
	"mindroom/internal/unread"
)

// Path is where the turn CLI's routes are served.
const Path = "/api/agent-cli"

// WindowHeader names the command of a request (C02).
const WindowHeader = "X-MindRoom-Agent-CLI-Window"

const (
	// maxBody bounds a request and an answer, in bytes.
	maxBody = 64 << 10
	// maxHeader bounds the Authorization header, in bytes.
	maxHeader = 4096
	// bodyTime is how long a body may take to arrive.
	bodyTime = 10 * time.Second
	// maxHold is the longest that a request waits for its receipt.
	maxHold = 10 * time.Second
)

// Routes registers the turn CLI's two routes. A live grant alone authenticates
// them, and it authenticates nothing else (C15).
func (r *Registry) Routes(mux *http.ServeMux) {
	mux.HandleFunc("POST "+Path+"/operations", r.guarded(r.post))
	mux.HandleFunc("GET "+Path+"/calls/{call_id}", r.guarded(r.get))
}

// guarded authenticates, before a byte of the body is read, and answers.
func (r *Registry) guarded(serve func(http.ResponseWriter, *http.Request, *Owner) (any, *refusal)) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		o := r.authenticate(req.Header.Values("Authorization"))
		if o == nil {
			unread.Answer(w, req)
			deny(w, errAuthority)
			return
		}
		var answer any
		refused := errInternal
		if err := lifecycle.Call(func() error { answer, refused = serve(w, req, o); return nil }); err != nil {
			r.Log.Error("a request of the turn CLI failed", "turn", o.turn, "error", err)
			refused = errInternal
		}
		switch {
		case refused != nil:
			deny(w, refused)
		case answer != nil:
			reply(w, http.StatusOK, answer)
		}
	}
}

// authenticate finds the owner of a request's grant: one header, "Bearer" and one
// space.
func (r *Registry) authenticate(headers []string) *Owner {
	if len(headers) != 1 || len(headers[0]) > maxHeader {
		return nil
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return nil
	}
	return r.find(token)
}

func (r *Registry) post(w http.ResponseWriter, req *http.Request, o *Owner) (any, *refusal) {
	raw, refused := r.body(w, req)
	if refused != nil {
		return nil, refused
	}
	op, refused := parseOperation(raw)
	if refused != nil {
		return nil, refused
	}
	return o.serve(req.Context(), op, req.Header.Get(WindowHeader), time.Now().Add(preferred(req.Header.Values("Prefer"))))
}

func (r *Registry) get(_ http.ResponseWriter, req *http.Request, o *Owner) (any, *refusal) {
	id, ok := parseUUID(req.PathValue("call_id"))
	c := o.find(id)
	if !ok || c == nil {
		return nil, errAuthority
	}
	return o.held(req.Context(), c, time.Now().Add(seconds(req.URL.Query().Get("wait"))))
}

// body reads a bounded body.
func (r *Registry) body(w http.ResponseWriter, req *http.Request) ([]byte, *refusal) {
	if req.ContentLength > maxBody {
		return nil, errTooLarge
	}
	limits := http.NewResponseController(w)
	// A writer without deadlines has its server's.
	_ = limits.SetReadDeadline(time.Now().Add(r.bodyTime))
	raw, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return nil, errTooLarge
	case err != nil:
		return nil, refuse(http.StatusUnprocessableEntity, CodeInvalid, "the request's body could not be read to its end")
	}
	_ = limits.SetReadDeadline(time.Time{})
	return raw, nil
}

// held waits until a call has its end, the time is over, or the caller or the grant
// has gone, and gives the receipt as it is then. Leaving cancels nothing (C09).
func (o *Owner) held(ctx context.Context, c *call, until time.Time) (any, *refusal) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
	case <-o.gone:
	case <-ctx.Done():
		return nil, nil
	}
	if o.find(c.ID) == nil {
		return nil, errAuthority
	}
	return o.receipt(c), nil
}

// preferred is how long a request asks to be held by Prefer: wait=N.
func preferred(headers []string) time.Duration {
	for _, part := range strings.Split(strings.Join(headers, ","), ",") {
		if value, ok := strings.CutPrefix(strings.TrimSpace(part), "wait="); ok {
			return seconds(strings.Trim(value, `"`))
		}
	}
	return 0
}

// seconds reads how long to hold a request; what is no number holds nothing.
func seconds(text string) time.Duration {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0
	}
	return min(time.Duration(n)*time.Second, maxHold)
}

func deny(w http.ResponseWriter, r *refusal) {
	said := map[string]any{"detail": r.detail}
	if r.code != "" {
		said["code"] = r.code
	}
	if r.hint != "" {
		said["hint"] = r.hint
	}
	reply(w, r.status, said)
}

// reply writes an answer in its canonical form, as the protocol has it.
func reply(w http.ResponseWriter, status int, answer any) {
	doc, err := canonical.FromValue(answer)
	raw := doc.Canonical()
	if err != nil || len(raw) > maxBody {
		status, raw = http.StatusInternalServerError, []byte(`{"code":"internal","detail":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(raw) // the caller may be gone; its receipt is kept
}
