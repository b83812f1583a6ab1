package unread

import "net/http"

// Answer has what is written to w from now on sent before the body of req has come:
// the server would otherwise wait for the body, so that whoever has no authority
// could hold a connection, and would learn of it late. It is called before the
// header is written. The connection is not used again.
func Answer(w http.ResponseWriter, req *http.Request) {
	if req.ContentLength != 0 && http.NewResponseController(w).EnableFullDuplex() == nil {
		w.Header().Set("Connection", "close")
	}
}
