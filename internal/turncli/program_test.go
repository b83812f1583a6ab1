package turncli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/tool"
	"mindroom/test/binary"
)

// program is the built mindroom-agent in the environment of a shell command.
type program struct {
	t   *testing.T
	bin string
	env []string
}

// run starts it, or a shell with it on the path, and gives its exit status and standard output.
func (p program) run(args ...string) (int, string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	if args[0] == "mindroom-agent" {
		cmd.Path, cmd.Err = filepath.Join(p.bin, args[0]), nil
	}
	cmd.Dir, cmd.Env = p.bin, append([]string{"PATH=" + p.bin + ":" + os.Getenv("PATH")}, p.env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	for _, pair := range p.env {
		if token, ok := strings.CutPrefix(pair, EnvToken+"="); ok && strings.Contains(said.String()+string(out), token) {
			p.t.Errorf("%v tells its token", args)
		}
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// ends fails unless a command line ends with a status and says all of that.
func (p program) ends(status int, line string, words ...string) {
	p.t.Helper()
	args := strings.Split(line, " ")
	got, out := p.run(append([]string{"mindroom-agent"}, args...)...)
	for _, w := range words {
		if !strings.Contains(out, w) {
			p.t.Errorf("%s: no %s in %s", line, w, out)
		}
	}
	if got != status {
		p.t.Errorf("%s: ended with %d, want %d: %s", line, got, status, out)
	}
}

// TestTheBuiltProgram asks the routes with the program that shells ask with: every command, every exit status, both ends as they are built.
func TestTheBuiltProgram(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	must(t, binary.Build(t.Context(), bin, "mindroom-agent"))
	inWindow := func(t *testing.T) (*house, *Owner, tool.Scope, program) {
		h := newHouse(t)
		o := h.open(asking(newHolds()))
		scope, _ := h.window(o, "toolu_1")
		return h, o, scope, program{t, bin, scope.Env()}
	}
	t.Run("discovery", func(t *testing.T) {
		t.Parallel()
		_, _, _, p := inWindow(t)
		p.ends(0, "tools list", `"function":"echo"`, `"signature":"echo(`, `"next_cursor":null`)
		p.ends(0, "tools list --limit 2", `"next_cursor":"2"`)
		p.ends(2, "tools list --limit 0")
		p.ends(2, "tools list --cursor 1000", `"code":"bad_cursor"`)
		p.ends(0, "tools search gives a text back --limit 1", `"function":"echo"`)
		p.ends(0, "tools describe kit.echo", `"input_schema":{`)
		p.ends(0, "tools describe wide form", `"context":{`, `"operation":"context.read"`)
		p.ends(0, "context read tool-schema-1 --limit 10", `"next_offset":10`)
		p.ends(2, "context read /etc/passwd", `"code":"unknown_document"`)
		p.ends(2, "tools describe kit nothing", `"error":`)
	})
	t.Run("calls", func(t *testing.T) {
		t.Parallel()
		h, _, scope, p := inWindow(t)
		p.ends(0, `tools call kit echo {"text":"hello"} --call-id `+uuid(1), `"outcome":"hello","parent_bash_call_id":"toolu_1","status":"completed"`)
		p.ends(0, `tools call kit.echo --json {"text":"hello"} --result --call-id `+uuid(1), "\"hello\"\n")
		p.ends(2, `tools call kit.echo {"text":"other"} --call-id `+uuid(1), `"call_id":"`+uuid(1)+`","code":"call_conflict"`)
		p.ends(1, "tools call kit.fail", "the disk is full", `"status":"failed"`)
		p.ends(0, `tools call kit.echo {"text":"x"} --dry-run`, `"valid":true`)
		p.ends(2, `tools call kit.echo {"text":1} --dry-run`, `"code":"invalid_arguments"`)
		if n := h.kit.count("echo"); n != 1 {
			t.Errorf("echo ran %d times", n)
		}
		p.ends(3, "tools call kit.block --timeout 0 --call-id "+uuid(2))
		<-h.kit.entered
		p.ends(3, "calls get "+uuid(2), `"status":"running"`)
		waited := ends(t, func() string {
			_, out := p.run("mindroom-agent", "calls", "wait", uuid(2), "--result")
			return out
		})
		h.kit.release <- struct{}{}
		if out := waited(); out != "\"released\"\n" {
			t.Errorf("waited for %q", out)
		}
		if e := scope.Close(t.Context()); e.Err != nil {
			t.Error(e.Err)
		}
		p.ends(2, `tools call kit.echo {"text":"late"}`, `"code":"window_closed"`, `"call_id":"`)
		p.ends(0, "calls wait "+uuid(1), `"outcome":"hello"`)
		p.ends(4, "calls get "+uuid(9), `"call_id":"`+uuid(9)+`","error":"Agent CLI authority is unavailable`)
	})
	t.Run("a person decides", func(t *testing.T) {
		t.Parallel()
		h, o, _, p := inWindow(t)
		p.ends(3, `tools call kit.ask {"text":"x"} --timeout 0 --call-id `+uuid(1), `"call_id":"`+uuid(1))
		h.client(p.env).until(1, "waiting")
		p.ends(3, "calls wait --timeout 1 "+uuid(1), `"status":"waiting"`)
		if h.kit.count("ask") != 0 {
			t.Error("it ran before it was decided")
		}
		h.decide(ref(o, 1), approval.Approved, "")
		p.ends(0, "calls wait "+uuid(1), `"status":"completed"`)
		p.ends(3, `tools call kit.ask {"text":"y"} --timeout 0 --call-id `+uuid(2))
		h.client(p.env).until(2, "waiting")
		h.decide(ref(o, 2), approval.Denied, "no")
		p.ends(1, "calls wait "+uuid(2), `"status":"failed"`)
	})
	t.Run("the end of the response", func(t *testing.T) {
		t.Parallel()
		_, o, _, p := inWindow(t)
		p.ends(0, `tools call kit.echo {"text":"hello"} --call-id `+uuid(1))
		o.Release(t.Context())
		for _, line := range []string{"tools list", "calls get " + uuid(1), "calls wait " + uuid(1), `tools call kit.echo {"text":"x"}`} {
			p.ends(4, line, "Agent CLI authority is unavailable")
		}
	})
	t.Run("the document's snippet", func(t *testing.T) {
		t.Parallel()
		if _, err := exec.LookPath("jq"); err != nil {
			t.Skip("jq is not installed: the snippet reads receipts with it. Install it (apt-get install jq) and run this again")
		}
		snippet, err := os.ReadFile("../../cmd/mindroom-agent/testdata/snippet.sh")
		must(t, err)
		_, _, _, p := inWindow(t)
		must(t, os.WriteFile(filepath.Join(bin, "arguments.json"), []byte(`{"text": "from a file"}`), 0o600))
		p.env = append(p.env, "TOOLKIT=kit", "FUNCTION=echo")
		status, out := p.run("sh", "-e", "-c", string(snippet))
		if lines := strings.Split(out, "\n"); status != 0 || len(lines) != 3 || lines[0] != lines[1] || !strings.Contains(out, `"outcome":"from a file"`) {
			t.Errorf("it ended with %d: %s", status, out)
		}
	})
}
