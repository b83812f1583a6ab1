package forward

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
)

// Whole forwards requests by proxy once their bodies have come. Passed on as it
// comes, a body is still looked at for its end while a quick server's answer begins;
// that ends the body, and the proxy with it drops the answer half way. A client that
// leaves in the middle of its body gets no answer.
func Whole(proxy *httputil.ReverseProxy) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		whole := r.WithContext(r.Context())
		whole.Body, whole.ContentLength, whole.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		if len(body) == 0 {
			whole.Body = http.NoBody
		}
		proxy.ServeHTTP(w, whole)
	})
}
