package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// outcome is how a process ended and what it said.
type outcome struct {
	status      int // negative: the signal that ended it
	out, errors string
}

// process is one start of the program.
type process struct {
	*exec.Cmd
	out, said bytes.Buffer
}

// prepare makes a process that has env, the path to the program, and nothing else.
func prepare(t *testing.T, env []string, program string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	p := &process{Cmd: exec.CommandContext(ctx, program, args...)}
	p.Env = append([]string{"PATH=" + bin + ":" + os.Getenv("PATH")}, env...)
	p.Stdout, p.Stderr = &p.out, &p.said
	return p
}

func agent(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	return prepare(t, env, filepath.Join(bin, "mindroom-agent"), args...)
}

func (p *process) end(t *testing.T) outcome {
	t.Helper()
	err := p.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := outcome{p.ProcessState.ExitCode(), p.out.String(), p.said.String()}
	if ws := p.ProcessState.Sys().(syscall.WaitStatus); ws.Signaled() {
		o.status = -int(ws.Signal())
	}
	return o
}

func (p *process) run(t *testing.T) outcome {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p.end(t)
}

// holds fails unless the process ended so and said that.
func (o outcome) holds(t *testing.T, status int, words ...string) {
	t.Helper()
	if o.status != status {
		t.Errorf("it ended with %d, want %d", o.status, status)
	}
	for _, w := range words {
		if !strings.Contains(o.out, w) {
			t.Errorf("standard output has no %q", w)
		}
	}
	if t.Failed() {
		t.Errorf("it said\n%s%s", o.out, o.errors)
	}
}

const callID = "0b0c0e7e-6d0e-4b52-9a57-0f6c2d6f7a11"

// TestSignals holds that who ends a waiting program still gets what it knows (C09): the receipt, or at least the call's id.
func TestSignals(t *testing.T) {
	t.Parallel()
	running := `{"call_id":"` + callID + `","outcome":null,"status":"running"}`
	for _, c := range []struct {
		name, play string
		requests   int
		args       []string
		status     int
		words      string
	}{
		{"a submission is held", "POST *\nhold", 1, []string{"tools", "call", "a", "b", "--call-id", callID}, 4, `"call_id":"` + callID + `"`},
		{"a receipt is held", "POST *\n200 " + running + "\nGET *\nhold", 2, []string{"tools", "call", "a", "b", "--call-id", callID}, 3, running},
		{"a wait is held", "GET *\n200 " + running + "\nGET *\nhold", 2, []string{"calls", "wait", callID}, 3, running},
		{"a list is held", "POST *\nhold", 1, []string{"tools", "list"}, 4, `"error":`},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
			t.Run(c.name+"/"+signal.String(), func(t *testing.T) {
				t.Parallel()
				// It listens for signals a moment after its first request, which cannot be seen from outside: one that comes sooner
				// ends it, and then it is tried again with more time.
				for after := 50 * time.Millisecond; ; after *= 2 {
					d := play(t, c.play)
					p := agent(t, d.environment(), c.args...)
					if err := p.Start(); err != nil {
						t.Fatal(err)
					}
					d.await(c.requests)
					time.Sleep(after)
					if err := p.Process.Signal(signal); err != nil {
						t.Fatal(err)
					}
					if o := p.end(t); o.status != -int(signal) || after > 10*time.Second {
						o.holds(t, c.status, c.words)
						return
					}
				}
			})
		}
	}
}

// TestDeafToTheInterruptKey holds that a background command of a shell, which starts deaf to it, stays so.
func TestDeafToTheInterruptKey(t *testing.T) {
	t.Parallel()
	d := play(t, "POST *\n200 {\"call_id\":\"$ID\",\"status\":\"running\"}\nGET *\nlate {\"call_id\":\"$ID\",\"status\":\"completed\"}")
	p := prepare(t, d.environment(), "sh", "-c", `trap '' INT; exec mindroom-agent tools call a b`)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	d.await(2)
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	close(d.release)
	p.end(t).holds(t, 0, `"status":"completed"`)
}

// TestKilled holds that a killed waiter takes nothing along: the call is asked for afterwards, under its id.
func TestKilled(t *testing.T) {
	t.Parallel()
	d := play(t, "POST *\nhold\nGET /api/agent-cli/calls/"+callID+"\n200 {\"call_id\":\"$ID\",\"status\":\"completed\",\"outcome\":7}")
	p := agent(t, d.environment(), "tools", "call", "a", "b", "--call-id", callID)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	d.await(1)
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.end(t).holds(t, -int(syscall.SIGKILL))
	agent(t, d.environment(), "calls", "get", callID, "--result").run(t).holds(t, 0, "7\n")
}

// TestNoProxy holds that a request goes to the server it is for, whatever the environment says (M41).
func TestNoProxy(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the proxy was asked: %s", r.RequestURI) }))
	t.Cleanup(proxy.Close)
	d := play(t, "POST *\n200 {\"items\":[]}")
	env := d.environment()
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+proxy.URL)
	}
	agent(t, append(env, "no_proxy="), "tools", "list").run(t).holds(t, 0, `{"items":[]}`)
}

// TestNoRedirect holds that the token goes to nobody else.
func TestNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	d := play(t, "POST *\n307 "+elsewhere.URL+"/api/agent-cli/operations\nGET *\n302 "+elsewhere.URL+"/")
	agent(t, d.environment(), "tools", "call", "a", "b", "--call-id", callID).run(t).holds(t, 4, callID, "not followed")
	agent(t, d.environment(), "calls", "get", callID).run(t).holds(t, 4, callID, "not followed")
}

// TestUnreachable holds that the address is named, and that the token is not (M33).
func TestUnreachable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	o := agent(t, []string{"MINDROOM_AGENT_CLI_URL=" + url, "MINDROOM_AGENT_CLI_TOKEN=" + token}, "tools", "call", "a", "b", "--call-id", callID).run(t)
	o.holds(t, 4, callID, "cannot connect to "+url)
	if strings.Contains(o.out+o.errors, token) || !strings.Contains(o.errors, url) {
		t.Errorf("it said %s%s", o.out, o.errors)
	}
}

// TestLargeArguments holds that 200 KiB are refused clearly, wherever they come from, before anything is sent.
func TestLargeArguments(t *testing.T) {
	t.Parallel()
	large := `{"a":"` + strings.Repeat("x", 200<<10) + `"}`
	path := filepath.Join(t.TempDir(), "arguments.json")
	if err := os.WriteFile(path, []byte(large), 0o600); err != nil {
		t.Fatal(err)
	}
	d := play(t, "")
	agent(t, d.environment(), "tools", "call", "a", "b", "--json-file", path).run(t).holds(t, 2, "over 65536 bytes", "call_id", "by a file in the workspace")
	p := agent(t, d.environment(), "tools", "call", "a", "b", "--json-stdin")
	p.Stdin = strings.NewReader(large)
	p.run(t).holds(t, 2, "over 65536 bytes", "call_id")
	// The arguments fit, the request around them does not.
	if err := os.WriteFile(path, []byte(`{"a":"`+strings.Repeat("x", 65536-8)+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	agent(t, d.environment(), "tools", "call", "a", "b", "--json-file", path).run(t).holds(t, 2, "the request is over 65536 bytes")
}

// TestAnswersAsLongAsMayBe holds the bound of an answer, to the byte.
func TestAnswersAsLongAsMayBe(t *testing.T) {
	t.Parallel()
	full := `{"text":"` + strings.Repeat("x", 65536-11) + `"}`
	d := play(t, "POST *\n200 "+full+"\nPOST *\nchunks "+full+"\nPOST *\n200 "+strings.Replace(full, "x", "xx", 1))
	agent(t, d.environment(), "context", "read", "role").run(t).holds(t, 0, full+"\n")
	agent(t, d.environment(), "context", "read", "role").run(t).holds(t, 0, full+"\n")
	agent(t, d.environment(), "context", "read", "role").run(t).holds(t, 4, "no strict JSON object within 64 KiB")
}

// TestNobodyReads holds that an answer which cannot be written is no success.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	p := agent(t, nil, "--help")
	p.Stdout = full
	p.run(t).holds(t, 4)
}

// TestOverTLS holds that an https origin is asked only where its certificate is one that this machine trusts.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	d := open("POST *\n200 {\"items\":[]}")
	secured := httptest.NewUnstartedServer(d)
	secured.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of the refused handshake, which is wanted
	secured.StartTLS()
	t.Cleanup(func() {
		secured.Close()
		for _, wrong := range d.end() {
			t.Error(wrong)
		}
	})
	env := append(d.environment(), "MINDROOM_AGENT_CLI_URL="+secured.URL)
	agent(t, env, "tools", "list").run(t).holds(t, 4, "cannot connect to "+secured.URL, "certificate", "nothing was sent")
	roots := filepath.Join(t.TempDir(), "roots.pem")
	if err := os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secured.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	agent(t, append(env, "SSL_CERT_FILE="+roots), "tools", "list").run(t).holds(t, 0, `{"items":[]}`)
}
