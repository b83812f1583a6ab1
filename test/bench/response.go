package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"mindroom/internal/tool"
	"mindroom/internal/turncli"
	"mindroom/test/bench/fixture"
	"mindroom/test/rig"
)

// response is a live response of an agent that has all functions of the fixture, as
// its shell commands see it.
type response struct {
	rig   *rig.Rig
	owner *turncli.Owner
	turn  string
	// window is the one that questions are asked in.
	window  tool.Scope
	vars    map[string]string
	windows int
}

// withResponse measures in a response and ends it.
func (b *bench) withResponse(ctx context.Context, measure func(context.Context, *response) ([]Row, error)) ([]Row, error) {
	toolkits, err := fixture.Toolkits()
	if err != nil {
		return nil, err
	}
	return b.withRig(ctx, rig.Options{WithoutProcesses: true, Toolkits: toolkits}, func(ctx context.Context, r *rig.Rig) ([]Row, error) {
		p, err := respond(ctx, r)
		if err != nil {
			return nil, err
		}
		defer p.end(ctx)
		return measure(ctx, p)
	})
}

func respond(ctx context.Context, r *rig.Rig) (*response, error) {
	p := &response{rig: r, turn: "turn-bench", vars: map[string]string{}}
	var err error
	if p.owner, err = r.Respond("@bench:example.org", p.turn); err != nil {
		return nil, err
	}
	if p.window, err = p.open(ctx); err != nil {
		p.owner.Release(ctx)
		return nil, err
	}
	for _, e := range p.window.Env() {
		name, value, _ := strings.Cut(e, "=")
		p.vars[name] = value
	}
	return p, nil
}

// open opens the window of one more command.
func (p *response) open(ctx context.Context) (tool.Scope, error) {
	p.windows++
	return p.owner.Open(ctx, tool.Ref{Door: tool.DoorTurn, Owner: p.turn, ID: fmt.Sprintf("1.0.command-%d", p.windows)})
}

func (p *response) end(ctx context.Context) {
	p.window.Close(ctx)
	p.owner.Release(ctx)
}

// askWithin bounds one question; only a fault takes so long.
const askWithin = 30 * time.Second

// ask sends one operation as mindroom-agent does, and reads the whole answer.
func (p *response) ask(ctx context.Context, operation map[string]any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	body, err := json.Marshal(operation)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.vars[turncli.EnvURL]+turncli.Path+"/operations", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.vars[turncli.EnvToken])
	req.Header.Set(turncli.WindowHeader, p.vars[turncli.EnvWindow])
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%v was answered %s: %s", operation["operation"], res.Status, answer)
	}
	return answer, err
}
