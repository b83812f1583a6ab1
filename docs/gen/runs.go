package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"strings"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/tool"
)

const stateFile = "internal/script/state.go"

// states is the table of allowed changes, from the code that every write uses.
func states(_ context.Context, root string) (string, error) {
	all, err := constants(root, stateFile, "State")
	if err != nil {
		return "", err
	}
	transitions, err := variable(root, stateFile, "transitions")
	if err != nil {
		return "", err
	}
	value := map[string]string{}
	for _, s := range all {
		value[s.Name] = s.Value
	}
	next := map[string]string{}
	for _, e := range transitions.Elts {
		kv := e.(*ast.KeyValueExpr)
		var to []string
		for _, t := range kv.Value.(*ast.CompositeLit).Elts {
			to = append(to, code(value[t.(*ast.Ident).Name]))
		}
		next[kv.Key.(*ast.Ident).Name] = strings.Join(to, ", ")
	}
	var rows [][]string
	for _, s := range all {
		may := next[s.Name]
		if may == "" {
			may = "– (final)"
		}
		rows = append(rows, []string{code(s.Value), may})
	}
	return table([]string{"state", "may become"}, rows), nil
}

// reasons are the stable codes of why runs end, with the state each leads to.
func reasons(_ context.Context, root string) (string, error) {
	codes, err := constants(root, stateFile, "Reason")
	if err != nil {
		return "", err
	}
	ends, otherwise, err := leadsTo(root)
	if err != nil {
		return "", err
	}
	var rows [][]string
	for _, c := range codes {
		state, ok := ends[c.Name]
		if !ok {
			state = otherwise
		}
		rows = append(rows, []string{code(c.Value), script.Reason(c.Value).Text(), state})
	}
	return table([]string{"reason_code", "in words", "leads to"}, rows), nil
}

// leadsTo reads the switch that decides the terminal state of a reason.
func leadsTo(root string) (ends map[string]string, otherwise string, err error) {
	f, err := declared(root, stateFile)
	if err != nil {
		return nil, "", err
	}
	ends = map[string]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		fn, ok := n.(*ast.FuncDecl)
		if ok && fn.Name.Name != "terminalFor" {
			return false
		}
		clause, ok := n.(*ast.CaseClause)
		if !ok {
			return true
		}
		var states []string
		ast.Inspect(clause, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok {
				states = append(states, code(strings.ToLower(r.Results[0].(*ast.Ident).Name)))
			}
			return true
		})
		joined := strings.Join(states, " or ")
		for _, e := range clause.List {
			ends[e.(*ast.Ident).Name] = joined
		}
		if clause.List == nil {
			otherwise = joined
		}
		return false
	})
	if otherwise == "" || len(ends) == 0 {
		return nil, "", fmt.Errorf("%s: terminalFor was not understood", stateFile)
	}
	return ends, otherwise, nil
}

// causeWords says each cause to a person; the declarations speak to programmers.
var causeWords = map[string]string{
	"exited":       "the program returned by itself",
	"signalled":    "somebody else killed the program",
	"deadline":     "`max_runtime_hours` was over; this holds while the runtime is stopped or dead",
	"cancelled":    "the runtime asked for its end, and the tree ended within the grace",
	"killed":       "the runtime ended it at once, or the supervisor itself was told to end",
	"orphaned":     "the runtime was gone for a minute, or started again",
	"start_failed": "nothing was started",
	"lost":         "the supervisor itself was lost; what was left of the tree was ended",
}

// causes are what a supervisor says of a process tree's end.
func causes(_ context.Context, root string) (string, error) {
	all, err := constants(root, "internal/supervise/wire/record.go", "Cause")
	if err != nil {
		return "", err
	}
	if _, err := advised(all, causeWords, ""); err != nil {
		return "", err
	}
	var rows [][]string
	for _, c := range all {
		rows = append(rows, []string{code(c.Value), causeWords[c.Value]})
	}
	return table([]string{"cause", "meaning"}, rows), nil
}

// runObject is a run as get_script shows it, made by the code that makes it.
func runObject(context.Context, string) (string, error) {
	began := time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)
	stopped := 143
	run := &script.Run{
		ID: "script-0123456789abcdef0123456789abcdef", Name: "status watcher", State: script.Cancelled, Local: true,
		Who:               identity.Execution{Agent: "watcher", Requester: "@you:example.org"},
		Grants:            []tool.Name{{Toolkit: "website", Function: "read_url"}},
		MaxCallsPerMinute: 30, MaxRuntime: 24 * time.Hour,
		CreatedAt: began, StartedAt: began.Add(40 * time.Millisecond), FinishedAt: began.Add(time.Hour),
		CancelAt: began.Add(time.Hour - time.Second), Reason: script.ReasonOwnerCancel, ExitCode: &stopped, Containment: "cgroup2",
	}
	raw, err := json.MarshalIndent(run.ViewWith(script.Standing{}), "", "  ")
	if err != nil {
		return "", err
	}
	return "```json\n" + string(raw) + "\n```", nil
}
