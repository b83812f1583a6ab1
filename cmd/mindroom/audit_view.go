package main

import (
	"encoding/json"
	"fmt"
	"time"

	"mindroom/internal/audit"
	"mindroom/internal/tool"
)

// auditPrinter prints records as they are found.
type auditPrinter struct {
	u              *ui
	asJSON, follow bool
	begun          bool
}

func (p *auditPrinter) print(records []audit.Record) error {
	defer func() { p.begun = true }()
	switch {
	case p.asJSON && p.follow:
		e := json.NewEncoder(p.u.out)
		e.SetEscapeHTML(false)
		for _, r := range records {
			if err := e.Encode(r); err != nil {
				return err
			}
		}
		return nil
	case p.asJSON:
		if records == nil {
			records = []audit.Record{}
		}
		return p.u.json(map[string]any{"records": records})
	case len(records) == 0 && !p.begun && !p.follow && p.u.errTTY:
		fmt.Fprintln(p.u.err, "no call fits")
		return nil
	case len(records) == 0 && p.begun:
		return nil
	}
	t := table{head: []string{"TIME", "DOOR", "AGENT", "REQUESTER", "TOOL", "STATE", "RULE", "CALL"}}
	for _, r := range records {
		t.row(cell{text: p.time(r.At)}, cell{text: string(r.Ref.Door)}, cell{text: dash(r.Agent)}, cell{text: dash(r.Requester)}, cell{text: dotted(r.Name)},
			cell{text: endText(r), ink: endInk(r.State)}, cell{text: decided(r)}, cell{text: r.Ref.Owner + " " + r.Ref.ID})
	}
	if p.begun {
		t.head = nil
	}
	return t.print(p.u)
}

// time is when the call was made, to the second for people.
func (p *auditPrinter) time(t time.Time) string {
	if p.u.outTTY {
		return t.Local().Format(time.DateTime)
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// endText is the state, with the kind of fault where there is one.
func endText(r audit.Record) string {
	if r.Fault != "" {
		return fmt.Sprintf("%s (%s)", r.State, r.Fault)
	}
	return string(r.State)
}

func endInk(s tool.State) ink {
	switch s {
	case tool.StateFailed:
		return red
	case tool.StateCancelled, tool.StateIndeterminate:
		return yellow
	}
	return ""
}

// decided is what let the call run or stopped it, as far as it came to that.
func decided(r audit.Record) string {
	text := dash(r.Rule)
	if r.Verdict != "" {
		text = r.Verdict + ": " + r.Rule
	}
	if r.Decision != "" {
		text += fmt.Sprintf("; %s by %s", r.Decision, r.DecidedBy)
	}
	return text
}
