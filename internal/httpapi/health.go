package httpapi

import (
	"encoding/json"
	"net/http"
	"time"
)

// health is 503 only when the runtime was ready and its homeserver no longer
// answers, so that a supervisor of the process does not end a slow start.
func health(w http.ResponseWriter, s Status) {
	body := map[string]any{"status": "healthy", "last_sync_time": nil, "configuration": "current"}
	if s.ConfigRefused {
		// Everything works as before, so it stays healthy.
		body["configuration"] = "refused"
	}
	if !s.LastSync.IsZero() {
		body["last_sync_time"] = s.LastSync.UTC().Format(time.RFC3339)
	}
	status := http.StatusOK
	if s.Ready && len(s.Stale) > 0 {
		status, body["status"], body["stale_sync_entities"] = http.StatusServiceUnavailable, "unhealthy", s.Stale
	}
	write(w, status, body)
}

func ready(w http.ResponseWriter, s Status) {
	if s.Ready {
		write(w, http.StatusOK, map[string]any{"status": "ready"})
		return
	}
	write(w, http.StatusServiceUnavailable, map[string]any{"status": s.Phase, "detail": s.Detail})
}

func write(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// Who asked may be gone; there is nobody else to tell.
	_ = json.NewEncoder(w).Encode(body)
}
