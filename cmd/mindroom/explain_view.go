package main

import (
	"fmt"
	"strings"
	"time"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/explain"
	"mindroom/internal/tool"
)

// explained prints a report for a person: what was asked for, its calls, and
// then each cause below its effect.
func (u *ui) explained(r explain.Report, now time.Time) error {
	f := &fields{u: u, w: u.out, now: now}
	for i, l := range r.Chain {
		if i > 0 {
			f.heading("because of")
		}
		switch l.Kind {
		case explain.KindCall:
			f.call(l.Call)
		case explain.KindRun:
			f.run(l.Run)
		case explain.KindTurn:
			f.turn(l.Turn)
		case explain.KindMessage:
			f.message(l.Message)
		}
		if i == 0 {
			f.calls(r.Calls)
		}
	}
	f.heading("end of the chain")
	f.text("", r.End)
	return f.err
}

func (f *fields) heading(text string) {
	if f.err == nil {
		_, f.err = fmt.Fprintf(f.w, "\n%s\n", f.u.paint(f.u.outTTY, bold, text))
	}
}

func (f *fields) call(c *explain.Call) {
	f.text("call", c.ID)
	f.text("of", c.Owner)
	f.text("door", string(c.Door))
	f.text("tool", dotted(c.Name))
	f.text("arguments", c.Arguments)
	f.text("agent", c.Agent)
	f.text("requester", c.Requester)
	f.text("grant", grantText(c.Grant))
	f.text("rule", ruleText(c))
	f.text("hooks", map[explain.Hooks]string{
		explain.HooksPassed: "let it pass", explain.HooksDeclined: "declined: " + c.HooksSaid, explain.HooksUnknown: "not recorded",
	}[c.Hooks])
	f.text("ran in", map[bool]string{true: "the process of the " + string(c.Where), false: "nowhere: it never began"}[c.Began])
	f.text("receipt", receiptText(c.Receipt))
	f.text("result", c.Receipt.Result)
	f.time("created", c.Created)
	f.time("ended", c.Ended)
	if !c.Recorded {
		f.text("audit", "none: the call has not ended, or its record is older than the retention window")
	}
}

func (f *fields) run(r *explain.Run) {
	f.text("run", r.ID)
	if r.Gone {
		return
	}
	f.text("name", r.Name)
	f.text("agent", r.Agent)
	f.text("requester", r.Requester)
	f.text("room", r.Room)
	f.text("thread", r.Thread)
	f.text("state", f.u.paint(f.u.outTTY, stateInk(string(r.State)), tty.Plain(string(r.State))))
	if r.ExitCode != nil {
		f.text("exit code", fmt.Sprint(*r.ExitCode))
	}
	f.text("signal", r.Signal)
	if r.Reason != "" {
		f.text("reason", r.Reason.Text())
	}
	f.text("error", r.Error)
	for i, g := range r.Granted {
		label := ""
		if i == 0 {
			label = "granted"
		}
		captured := true
		f.text(label, g.Name.String()+": "+grantText(explain.Grant{By: explain.ByLaunch, Captured: &captured, Preapproved: &g.Preapproved, Offered: g.Offered}))
	}
	where := "a worker"
	if r.Local {
		where = "this machine, under the account of the runtime"
	}
	if r.Containment != "" {
		where += ", held by " + r.Containment
	}
	f.text("ran in", where)
	f.text("worker key", r.Key)
	f.text("calls", fmt.Sprintf("%d completed, %d failed, %d indeterminate, %d pending",
		r.Counts.Completed, r.Counts.Failed, r.Counts.Indeterminate, r.Counts.Pending))
	f.time("created", r.Created)
	f.time("started", r.Started)
	// Also of a run that ended by itself: from then on it can call no tool.
	f.time("revoked", r.Cancel)
	f.time("finished", r.Finished)
}

func (f *fields) turn(t *explain.Turn) {
	f.text("turn", t.ID)
	if t.Gone {
		return
	}
	f.text("subagent", t.Subagent)
	f.text("agent", t.Agent)
	f.text("requester", t.Requester)
	f.text("room", t.Room)
	f.text("thread", t.Thread)
	f.text("state", f.u.paint(f.u.outTTY, stateInk(t.State), tty.Plain(t.State)))
	f.text("reason", t.Reason)
	f.text("ended by", t.Cancelled)
	if t.Depth > 0 {
		f.text("depth", fmt.Sprintf("%d self-triggers led here", t.Depth))
	}
	f.time("created", t.Created)
	f.time("changed", t.Changed)
}

func (f *fields) message(m *explain.Message) {
	f.text("message", m.EventID)
	f.text("sender", m.Sender)
	f.text("room", m.Room)
	f.time("sent", m.Sent)
	if m.Withdrawn {
		f.text("words", "taken back by a redaction")
		return
	}
	f.text("words", m.Words)
}

// calls prints the newest calls of a run or a turn, one a line.
func (f *fields) calls(all []explain.Brief) {
	for i, c := range all {
		label := ""
		if i == 0 {
			label = "newest"
		}
		line := c.ID + "  " + dotted(c.Name) + "  " + string(c.State)
		if c.Fault != "" {
			line += " (" + string(c.Fault) + ")"
		}
		if c.Rule != "" {
			line += "  by " + c.Rule
		}
		f.text(label, line)
	}
}

// dotted is a function's name, without a toolkit where none is known.
func dotted(n tool.Name) string { return strings.TrimPrefix(n.String(), ".") }

func grantText(g explain.Grant) string {
	var parts []string
	say := func(is *bool, yes, no string) {
		switch {
		case is == nil:
		case *is:
			parts = append(parts, yes)
		default:
			parts = append(parts, no)
		}
	}
	switch g.By {
	case explain.BySurface:
		parts = append(parts, "the agent's own tools")
	case explain.ByLaunch:
		say(g.Captured, "captured at launch", "not captured at launch")
		say(g.Preapproved, "preapproved", "not preapproved")
	default:
		parts = append(parts, "not known any more")
	}
	say(g.Offered, "still offered", "no longer offered")
	return strings.Join(parts, ", ")
}

func ruleText(c *explain.Call) string {
	switch {
	case c.Verdict != "":
		return string(c.Verdict) + ": " + c.Rule
	case c.Recorded:
		return "none: the call was refused before rules were asked"
	}
	return "not recorded"
}

func receiptText(r explain.Receipt) string {
	text := string(r.State)
	if r.Fault != "" {
		text += " (" + string(r.Fault) + "): " + r.Message
	}
	if r.Bytes > 0 {
		text += fmt.Sprintf(", %d bytes", r.Bytes)
	}
	return text
}
