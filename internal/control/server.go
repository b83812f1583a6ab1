package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"mindroom/internal/config/reload"
	"mindroom/internal/identity"
	"mindroom/internal/script"
)

// Runs is what an operator may do with runs; the run manager is one.
type Runs interface {
	All(ctx context.Context, includeFinished bool, limit int) ([]*script.Run, error)
	Find(ctx context.Context, id string) (*script.Run, error)
	Standing(ctx context.Context, run identity.RunID) (script.Standing, error)
	Output(ctx context.Context, r *script.Run, offset int64) (script.Output, error)
	CancelAny(ctx context.Context, id string, force bool) (*script.Run, error)
	// Trouble is what keeps a run that has to end from being settled; nil for
	// nothing.
	Trouble(run identity.RunID) *script.Trouble
}

// follow bounds how long a request for more output is held.
const follow = 20 * time.Second

// Server answers on the socket.
type Server struct {
	dir      string
	runs     Runs
	listener net.Listener
	server   *http.Server
}

// Listen opens the socket in the control state folder dir.
// standing is how the configuration in force stands to what is on disk.
func Listen(dir string, runs Runs, standing func() reload.Standing) (*Server, error) {
	l, err := listen(dir)
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir, runs: runs, listener: l}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /configuration", func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, standing()) })
	mux.HandleFunc("GET /runs", s.list)
	mux.HandleFunc("GET /runs/{id}", s.show)
	mux.HandleFunc("GET /runs/{id}/output", s.output)
	mux.HandleFunc("POST /runs/{id}/cancel", s.cancel)
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return s, nil
}

// Serve answers until Shutdown.
func (s *Server) Serve(context.Context) error {
	if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("control socket: %w", err)
	}
	return nil
}

// Shutdown closes the socket and removes it; requests under way are cut, because
// an operator who follows a log would hold it open for ever.
func (s *Server) Shutdown(context.Context) error {
	err := s.server.Close()
	return errors.Join(err, os.Remove(filepath.Join(s.dir, socketName)))
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		limit = 0
	}
	runs, err := s.runs.All(r.Context(), r.URL.Query().Get("all") == "true", limit)
	if err != nil {
		refuse(w, err)
		return
	}
	views := make([]any, 0, len(runs))
	for _, run := range runs {
		views = append(views, s.operatorView(run, run.View(true)))
	}
	write(w, http.StatusOK, map[string]any{"runs": views})
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	run, err := s.runs.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	calls, err := s.runs.Standing(r.Context(), run.ID)
	if err != nil {
		refuse(w, err)
		return
	}
	write(w, http.StatusOK, s.operatorView(run, run.ViewWith(calls)))
}

func (s *Server) output(w http.ResponseWriter, r *http.Request) {
	run, err := s.runs.Find(r.Context(), r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	offset, err := strconv.ParseInt(r.URL.Query().Get("offset"), 10, 64)
	if err != nil {
		offset = -1
	}
	ctx, cancel := context.WithTimeout(r.Context(), follow)
	defer cancel()
	out, err := s.runs.Output(ctx, run, offset)
	if err != nil {
		refuse(w, err)
		return
	}
	write(w, http.StatusOK, out)
}

func (s *Server) cancel(w http.ResponseWriter, r *http.Request) {
	run, err := s.runs.CancelAny(r.Context(), r.PathValue("id"), r.URL.Query().Get("force") == "true")
	if err != nil {
		refuse(w, err)
		return
	}
	write(w, http.StatusOK, s.operatorView(run, run.View(false)))
}

// operatorView is the run object with what only an operator sees: whose it is,
// where, and what keeps it from being settled.
func (s *Server) operatorView(run *script.Run, view json.Marshaler) any {
	return struct {
		Run       json.Marshaler  `json:"run"`
		Requester string          `json:"requester_id"`
		Room      string          `json:"room_id"`
		Thread    string          `json:"thread_id"`
		Trouble   *script.Trouble `json:"trouble,omitempty"`
	}{view, run.Who.Requester, run.Who.Room, run.Who.ResolvedThread, s.runs.Trouble(run.ID)}
}

func refuse(w http.ResponseWriter, err error) {
	e := script.AsError(err)
	status := http.StatusInternalServerError
	switch e.Kind {
	case script.KindNotFound:
		status = http.StatusNotFound
	case script.KindUnconfirmed:
		status = http.StatusConflict
	}
	write(w, status, map[string]any{"kind": e.Kind, "message": e.Message})
}

func write(w http.ResponseWriter, status int, body any) {
	raw, err := json.Marshal(body)
	if err != nil {
		status, raw = http.StatusInternalServerError, []byte(`{"kind":"internal","message":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// Who asked may be gone; there is nobody else to tell.
	_, _ = w.Write(raw)
}
