package shell

import (
	"fmt"
	"strings"
	"time"

	"mindroom/internal/tool"
)

// maxInFault bounds the output told in a fault, in bytes; its end is kept.
const maxInFault = 4 << 10

// lines is the end of an output: at most n lines, with a note of what is not
// shown.
func lines(o Output, n int) string {
	text := strings.TrimRight(o.Text, "\n")
	if text == "" {
		return "(no output)"
	}
	all := strings.Split(text, "\n")
	cut := max(0, len(all)-n)
	text = strings.Join(all[cut:], "\n")
	switch {
	case o.Dropped > 0:
		return fmt.Sprintf("[earlier output is not shown: %d lines, and %d bytes that are not kept]\n%s", cut, o.Dropped, text)
	case cut > 0:
		return fmt.Sprintf("[earlier output is not shown: %d lines]\n%s", cut, text)
	}
	return text
}

// ending is how a command's own process ended.
func ending(s State) string {
	switch {
	case s.Signal != "":
		return "ended by signal " + s.Signal
	case s.Code == nil:
		return "exit code unknown"
	}
	return fmt.Sprintf("exit code %d", *s.Code)
}

// heading is what stands above the output: the folder, and the ending unless
// it is plain success.
func heading(v view, workspace string) string {
	head := "[cwd: " + workspace + "]\n"
	switch {
	case !v.state.Exited:
	case v.state.Signal != "":
		head += "Ended by signal: " + v.state.Signal + "\n"
	case v.state.Code == nil:
		head += "Exit code: unknown\n"
	case *v.state.Code != 0:
		head += fmt.Sprintf("Exit code: %d\n", *v.state.Code)
	}
	return head
}

func result(v view, workspace string, req request) string {
	return heading(v, workspace) + lines(v.output, req.tail)
}

func leftBehind(v view, handle string, in tool.Invocation, req request) string {
	return result(v, in.Workspace, req) + fmt.Sprintf("\n[The command returned; %s and may hold its output.]\n"+
		"Handle: %s\nRead on with %s, end what is left with %s.", left(v.state.Procs), handle, checking(in), killing(in))
}

// checking and killing name the functions for background commands as whoever reads
// the result calls them.
func checking(in tool.Invocation) string { return called(in, "check_shell_command") }
func killing(in tool.Invocation) string  { return called(in, "kill_shell_command") }

func called(in tool.Invocation, function string) string {
	if onlyBash(in) {
		return "mindroom-agent tools call shell." + function
	}
	return function
}

// left says what a returned command left behind.
func left(n int) string {
	if n == 1 {
		return "1 process it started still runs"
	}
	return fmt.Sprintf("%d processes it started still run", n)
}

func stillRunning(v view, handle, workspace string, req request) string {
	return fmt.Sprintf("[cwd: %s]\nStill running after %s (PID %d); it goes on in the background.\nHandle: %s\n"+
		"Read on with check_shell_command, end it with kill_shell_command.\nOutput so far:\n%s",
		workspace, round(req.timeout), v.state.Pid, handle, lines(v.output, req.tail))
}

func stopped(v view, why, workspace string, req request) *tool.Fault {
	output := last(lines(v.output, req.tail), maxInFault)
	return tool.Faultf(tool.FaultTool, "the command and all it started were ended after %s because %s; its output until then, in %s:\n%s",
		round(v.elapsed), why, workspace, output)
}

// last is the end of text, at most n bytes.
func last(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-n:], "")
}

func status(v view) string {
	heading := "Output so far:"
	if v.finished {
		heading = "Output:"
	}
	return "Status: " + standing(v) + "\n" + heading + "\n" + lines(v.output, defaultTail)
}

// standing is how a command stands, in one line.
func standing(v view) string {
	switch {
	case v.finished:
		return fmt.Sprintf("FINISHED (%s, ran for %s)", ending(v.state), round(v.elapsed))
	case v.state.Exited:
		return fmt.Sprintf("RETURNED (%s; %s, elapsed %s)", ending(v.state), left(v.state.Procs), round(v.elapsed))
	}
	return fmt.Sprintf("RUNNING (PID %d, elapsed %s)", v.state.Pid, round(v.elapsed))
}

func round(d time.Duration) time.Duration {
	if d > 10*time.Second {
		return d.Round(time.Second)
	}
	return d.Round(time.Millisecond)
}
