package story

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// page is the small page that is watched. It counts its readers, so that the
// story can wait for "read twice more" instead of for time.
type page struct {
	server *http.Server
	url    string

	mu      sync.Mutex
	text    string
	reads   int
	changed chan struct{}
}

func newPage(text string) (*page, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the page: %w", err)
	}
	p := &page{text: text, changed: make(chan struct{}), url: "http://" + l.Addr().String() + "/status.txt"}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = p.server.Serve(l) }()
	return p, nil
}

// ServeHTTP is one reading, or with POST a change of the text.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4096))
		if err != nil {
			http.Error(w, "at most 4096 bytes", http.StatusRequestEntityTooLarge)
			return
		}
		p.set(string(text))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads++
	close(p.changed)
	p.changed = make(chan struct{})
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, p.text)
}

func (p *page) set(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

// count is the number of readings so far, and what closes at the next one.
func (p *page) count() (int, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reads, p.changed
}

func (p *page) close() { _ = p.server.Close() }
