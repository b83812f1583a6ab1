package hooks

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"mindroom/internal/tool"
)

const before = `  - {event: "tool:before_call", run: [./hook], timeout_seconds: 60}` + "\n"

// What a program answers decides; what is no answer declines, unless on_error allows.
func TestProgramDecides(t *testing.T) {
	t.Parallel()
	const silent = "-"
	for name, c := range map[string]struct {
		program string
		says    string // of the decline; empty: the call goes on
		failed  bool   // there was no answer
	}{
		"allows":                 {`cat >/dev/null; echo '{"decision":"allow"}'`, "", false},
		"denies":                 {`echo '{"decision": "deny", "reason": "not on a Sunday"}'`, "declined by the hook hook: not on a Sunday", false},
		"denies without reason":  {`echo '{"decision":"deny"}'`, "it gave no reason", false},
		"pretty and unknown key": {`printf '{\n "later": [1],\n "decision": "deny",\n "reason": "no"\n}\n'`, "hook hook: no", false},
		"noise beside it":        {`echo '{"decision":"allow"}' >&2; echo '{"decision":"deny","reason":"r"}'`, "hook hook: r", false},
		"answers nothing":        {`cat >/dev/null`, "gave no answer", true},
		"answers another key":    {`echo '{"Decision":"allow"}'`, "gave no answer", true},
		"answers another word":   {`echo '{"decision":"yes"}'`, "gave no answer", true},
		"answers true":           {`echo true`, "gave no answer", true},
		"answers twice":          {`echo '{"decision":"allow"}'; echo '{"decision":"allow"}'`, "gave no answer", true},
		"answers and fails":      {`echo '{"decision":"allow"}'; exit 3`, "gave no answer", true},
		"answers too much":       {`echo '{"decision":"allow"}'; yes | head -c 1000000`, "gave no answer", true},
		"kills itself":           {`kill -9 $$`, "gave no answer", true},
		"cannot be run":          {silent, "gave no answer", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, before)
			if c.program != silent {
				r.program(t, "hook", c.program)
			}
			subject := call(t, "send", `{"to":"ben"}`)
			fault := r.Before(t.Context(), subject)
			if (fault == nil) != (c.says == "") {
				t.Fatalf("%v", fault)
			}
			if fault != nil && (fault.Kind != tool.FaultDeclined || fault.Retryable || !strings.Contains(fault.Message, c.says)) {
				t.Errorf("%+v", fault)
			}
			if logged := strings.Contains(r.log.String(), "gave no answer"); logged != c.failed {
				t.Errorf("the log says %s", r.log)
			}
			if err := publish(t, r, strings.Replace(before, "timeout", "on_error: allow, timeout", 1)); err != nil {
				t.Fatal(err)
			}
			fault = r.Before(t.Context(), subject)
			if (fault == nil) != (c.failed || c.says == "") {
				t.Errorf("on_error: allow: %v", fault)
			}
		})
	}
}

func publish(t testing.TB, r *rig, hooks string) error {
	t.Helper()
	_, err := r.holder.Publish(parse(t, r.dir, hooks))
	return err
}

// A program that overruns its time holds a call no longer.
func TestProgramThatHangs(t *testing.T) {
	t.Parallel()
	r := open(t, `  - {event: "tool:before_call", run: [./hook, "and arguments"], timeout_seconds: 0.5}`+"\n")
	r.program(t, "hook", `exec sleep 1000`)
	fault := r.Before(t.Context(), call(t, "send", `{}`))
	if fault == nil || fault.Kind != tool.FaultDeclined || !strings.Contains(fault.Message, "not within 500ms") {
		t.Errorf("%+v", fault)
	}
}

// A program is not waited for by what it left behind, and the answer counts.
func TestProgramThatLeavesSomethingBehind(t *testing.T) {
	t.Parallel()
	r := open(t, before)
	r.program(t, "hook", `sleep 1000 & echo '{"decision":"allow"}'`)
	start := time.Now()
	if fault := r.Before(t.Context(), call(t, "send", `{}`)); fault != nil {
		t.Fatal(fault)
	}
	if took := time.Since(start); took > 50*time.Second {
		t.Errorf("it was waited for: %s", took)
	}
}

// A program that reads nothing of a large event is no obstacle.
func TestProgramThatReadsNothing(t *testing.T) {
	t.Parallel()
	r := open(t, before)
	r.program(t, "hook", `exec <&-; echo '{"decision":"allow"}'`)
	if fault := r.Before(t.Context(), call(t, "send", `{"text":"`+strings.Repeat("x", 900_000)+`"}`)); fault != nil {
		t.Error(fault)
	}
}

// A program stands in the configuration's folder and sees nothing of the runtime's secrets.
func TestAProgramsEnvironment(t *testing.T) {
	t.Parallel()
	r := open(t, `  - {event: "tool:before_call", run: [sh, -c, 'pwd >seen; env >>seen; echo "{\"decision\":\"allow\"}"'], timeout_seconds: 60}`+"\n")
	if fault := r.Before(t.Context(), call(t, "send", `{}`)); fault != nil {
		t.Fatal(fault)
	}
	seen := r.read(t, "seen")
	if !strings.HasPrefix(seen, r.dir+"\n") || !strings.Contains(seen, "PATH=") || strings.Contains(seen, "OPENAI_API_KEY") {
		t.Errorf("%s", seen)
	}
}

// A call that is ended while a hook is asked is no decline, and the hook is ended with everything it started.
func TestTheCallEndsWhileAHookIsAsked(t *testing.T) {
	t.Parallel()
	r := open(t, before)
	r.program(t, "hook", `trap '' TERM INT HUP; echo $$ >pids; setsid sleep 1000 & echo $! >>pids; (setsid sh -c 'echo $$ >>pids; sleep 1000' &) ; sleep 1000`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan *tool.Fault, 1)
	go func() { ended <- r.Before(ctx, call(t, "send", `{}`)) }()
	until(t, "the hook runs", func() bool { return strings.Count(r.read(t, "pids"), "\n") == 3 })
	cancel()
	if fault := <-ended; fault == nil || fault.Kind != tool.FaultCancelled || !fault.Retryable {
		t.Errorf("%+v", fault)
	}
	if strings.Contains(r.log.String(), "gave no answer") {
		t.Errorf("the hook is blamed: %s", r.log)
	}
	for _, pid := range strings.Fields(r.read(t, "pids")) {
		until(t, "process "+pid+" is gone", func() bool {
			_, err := os.Stat("/proc/" + pid)
			return err != nil
		})
	}
}
