package http1

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// crlf writes line feeds as HTTP ends its lines.
func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

func TestReadResponse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxBody+10)
	for _, c := range []struct {
		name, in string
		status   int
		body     string
		reusable bool
		wrong    string // part of the error; then nothing else counts
	}{
		{"length", crlf("HTTP/1.1 200 OK\nContent-Length: 2\n\n") + "{}", 200, "{}", true, ""},
		{"no reason phrase", crlf("HTTP/1.1 404 \nContent-Length: 0\n\n"), 404, "", true, ""},
		{"not kept", crlf("HTTP/1.1 200 OK\nConnection: foo, Close\nContent-Length: 2\n\n") + "{}", 200, "{}", false, ""},
		{"1.0 keeps nothing", crlf("HTTP/1.0 200 OK\nContent-Length: 2\n\n") + "{}", 200, "{}", false, ""},
		{"until the end", crlf("HTTP/1.1 200 OK\n\n") + "{}", 200, "{}", false, ""},
		{"chunks", crlf("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\n{\n1;ext=1\n}\n0\nX: y\n\n"), 200, "{}", true, ""},
		{"chunks before a length", crlf("HTTP/1.1 200 OK\nContent-Length: 9\nTransfer-Encoding: Chunked\n\n2\n{}\n0\n\n"), 200, "{}", true, ""},
		{"interim", crlf("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 200 OK\nContent-Length: 1\n\n") + "1", 200, "1", true, ""},
		{"no body by its status", crlf("HTTP/1.1 204 No Content\nContent-Length: 5\n\n"), 204, "", true, ""},
		{"too long", crlf("HTTP/1.1 200 OK\nContent-Length: 65547\n\n") + long, 200, long[:MaxBody], false, ""},
		{"too long in chunks", crlf("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1000B\n") + long, 200, long[:MaxBody], false, ""},
		{"too long until the end", crlf("HTTP/1.1 200 OK\n\n") + long, 200, long[:MaxBody], false, ""},

		{"nothing", "", 0, "", false, "stopped half way"},
		{"half a head", "HTTP/1.1 200 OK\r\nContent-", 0, "", false, "stopped half way"},
		{"half a body", crlf("HTTP/1.1 200 OK\nContent-Length: 3\n\n") + "{}", 0, "", false, "stopped half way"},
		{"half a chunk", crlf("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\n{}"), 0, "", false, "stopped half way"},
		{"no last chunk", crlf("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\n{}\n"), 0, "", false, "stopped half way"},
		{"only interim", strings.Repeat(crlf("HTTP/1.1 100 Continue\n\n"), 9), 0, "", false, "too many interim"},
		{"another protocol", crlf("HTTP/1.1 101 Switching\n\n"), 0, "", false, "changes the protocol"},
		{"chunks before their time", crlf("HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n0\n\n"), 0, "", false, "knows no chunks"},
		{"another version", crlf("HTTP/2 200 OK\n\n"), 0, "", false, "no status line"},
		{"not HTTP", "SSH-2.0-x\r\n\r\n", 0, "", false, "no status line"},
		{"bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}", 0, "", false, "does not end as lines do"},
		{"status in letters", crlf("HTTP/1.1 2x0 OK\n\n"), 0, "", false, "status is no number"},
		{"two lengths", crlf("HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 3\n\n") + "{}", 0, "", false, "two numbers"},
		{"negative length", crlf("HTTP/1.1 200 OK\nContent-Length: -2\n\n") + "{}", 0, "", false, "no number"},
		{"signed length", crlf("HTTP/1.1 200 OK\nContent-Length: +2\n\n") + "{}", 0, "", false, "no number"},
		{"folded header", crlf("HTTP/1.1 200 OK\nX: a\n b\n\n"), 0, "", false, "no name"},
		{"packed", crlf("HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked\n\n"), 0, "", false, "not known"},
		{"chunk without size", crlf("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n\n"), 0, "", false, "no number"},
		{"chunk too long", crlf("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\n{}\n0\n\n"), 0, "", false, "too long"},
		{"endless head", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", MaxHead), 0, "", false, "too long"},
		{"endless line", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 2*MaxHead), 0, "", false, "too long"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			resp, err := readResponse(bufio.NewReaderSize(strings.NewReader(c.in), 4096))
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("%v, want an error with %q", err, c.wrong)
				}
				return
			}
			if err != nil || resp.Status != c.status || string(resp.Body) != c.body || resp.reusable != c.reusable {
				t.Errorf("%d, %d bytes, reusable %v, %v", resp.Status, len(resp.Body), resp.reusable, err)
			}
		})
	}
}

// FuzzResponse holds that no answer is misread: what is accepted here, net/http reads alike.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		crlf("HTTP/1.1 200 OK\nContent-Length: 2\n\n") + "{}HTTP/1.1 200 OK\r\n",
		crlf("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\n{\n1;e\n}\n0\nT: r\n\n"),
		crlf("HTTP/1.1 100 Continue\n\nHTTP/1.0 401 No\nConnection: close\n\n") + "{}",
		crlf("HTTP/1.1 204 No Content\n\n"), crlf("HTTP/1.1 200 OK\n\n"), "HTTP/1.1 200 OK\n\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		rest := bytes.NewReader(in)
		r := bufio.NewReaderSize(rest, 4096)
		got, err := readResponse(r)
		if len(got.Body) > MaxBody {
			t.Fatalf("a body of %d bytes", len(got.Body))
		}
		if err != nil {
			return
		}
		remains := bytes.NewReader(in)
		theirs := bufio.NewReader(remains)
		var want *http.Response
		for {
			if want, err = http.ReadResponse(theirs, nil); err != nil {
				t.Fatalf("accepted with status %d, and net/http says %v", got.Status, err)
			}
			if want.StatusCode >= 200 {
				break
			}
		}
		body, err := io.ReadAll(io.LimitReader(want.Body, MaxBody))
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("accepted %d bytes, and net/http says %v", len(got.Body), err)
		}
		if want.StatusCode != got.Status || !bytes.Equal(body, got.Body) {
			t.Fatalf("read as %d %q; net/http: %d %q", got.Status, got.Body, want.StatusCode, body)
		}
		if left, want := r.Buffered()+rest.Len(), theirs.Buffered()+remains.Len(); got.reusable && left != want {
			t.Fatalf("%d bytes are left; net/http leaves %d", left, want)
		}
	})
}
