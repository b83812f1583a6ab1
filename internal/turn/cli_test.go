package turn

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/toolkit/agent"
	"mindroom/internal/turncli"
)

// A command of the test's shell has one line for each thing it does:
//
//	TOOLKIT.FUNCTION ARGUMENTS     calls it and waits for its end
//	& TOOLKIT.FUNCTION ARGUMENTS   submits it and goes on
//	hold                           waits until the test lets it go
//
// What it was told of each is its output.
type shellArgs struct {
	Args    string   `json:"args"`
	Timeout *float64 `json:"timeout,omitempty"`
	Tail    *int     `json:"tail,omitempty"`
}

func (p *testTools) shellKit() tool.Toolkit {
	return tool.Toolkit{Name: "shell", Purpose: "commands", Build: func(tool.Env) ([]tool.Function, error) {
		return []tool.Function{tool.Typed(tool.Spec{Name: "run_shell_command", Class: tool.Outer}, p.command)}, nil
	}}
}

func (p *testTools) command(ctx context.Context, in tool.Invocation, args shellArgs) (any, error) {
	p.enter("$ " + strings.SplitN(args.Args, "\n", 2)[0])
	if in.Enclosure == nil {
		return "there is no mindroom-agent", nil
	}
	scope, err := in.Enclosure.Open(ctx, in.Ref)
	if err != nil {
		return nil, err
	}
	out, err := p.script(ctx, scope.Env(), args.Args)
	e := tool.Enclosing{Value: out}
	if err != nil {
		e.Fault = tool.Faultf(tool.FaultTool, "%v", err)
	}
	e.Enclosed = scope.Close(ctx)
	return e, nil
}

func (p *testTools) script(ctx context.Context, env []string, script string) (string, error) {
	door := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		door[name] = value
	}
	var out []string
	for _, line := range strings.Split(script, "\n") {
		line, detached := strings.CutPrefix(line, "& ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if line == "hold" {
			select {
			case <-p.release:
			case <-ctx.Done():
				return "", ctx.Err()
			}
			continue
		}
		function, args, _ := strings.Cut(line, " ")
		receipt, err := submit(ctx, door, function, args, detached)
		if err != nil {
			return "", err
		}
		out = append(out, receipt)
	}
	return strings.Join(out, "\n"), nil
}

// submit is what mindroom-agent does with tools call.
func submit(ctx context.Context, door map[string]string, function, args string, detached bool) (string, error) {
	dot := strings.LastIndex(function, ".")
	var random [16]byte
	_, _ = rand.Read(random[:])
	id := fmt.Sprintf("%x-%x-%x-%x-%x", random[:4], random[4:6], random[6:8], random[8:10], random[10:])
	body, err := json.Marshal(map[string]any{"operation": "tools.call", "call_id": id, "toolkit": function[:dot], "function": function[dot+1:], "arguments": json.RawMessage(args)})
	if err != nil {
		return "", err
	}
	url := door[turncli.EnvURL] + turncli.Path
	for {
		method, at := http.MethodPost, url+"/operations"
		if body == nil {
			method, at = http.MethodGet, url+"/calls/"+id+"?wait=10"
		}
		req, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
		if err != nil {
			return "", err
		}
		req.Header.Set("Authorization", "Bearer "+door[turncli.EnvToken])
		req.Header.Set(turncli.WindowHeader, door[turncli.EnvWindow])
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		var receipt struct {
			Status  string
			Outcome json.RawMessage
			Detail  string
		}
		err = json.NewDecoder(res.Body).Decode(&receipt)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			return "", fmt.Errorf("%s: %d %s %w", function, res.StatusCode, receipt.Detail, err)
		}
		body = nil
		switch receipt.Status {
		case "queued", "running", "waiting":
			if !detached {
				continue
			}
		}
		return receipt.Status + " " + string(receipt.Outcome), nil
	}
}

// shellRules asks about commands that begin with "ask" and about every gated call.
type shellRules struct{ testPolicy }

func (shellRules) Might(_ *config.Snapshot, f *tool.Function) bool { return f.Name.Function == "gated" }
func (r shellRules) Evaluate(ctx context.Context, q tool.Question) tool.Verdict {
	if q.Call.Name == shellTool && bytes.HasPrefix(q.Call.Args.Canonical(), []byte(`{"args":"# ask`)) {
		return tool.Verdict{Kind: tool.Ask, Rule: "rule ask"}
	}
	return r.testPolicy.Evaluate(ctx, q)
}

// shelled is a configuration whose agent has a shell and may be minimal.
const shelled = `
models:
  default: {provider: scripted, id: demo}
agents:
  watcher:
    display_name: Watcher
    role: You watch.
    memory_backend: file
    minimal_instructions: [Be brief.]
    tools: [probe, shell]
authorization: {default_room_access: true}
`

// newMinimal is a bundle whose agent has a shell, in the given mode, with the real
// door of mindroom-agent.
func newMinimal(t *testing.T, chosen mode.Mode, parts func(*Parts)) *bundle {
	t.Helper()
	return newMinimalOf(t, shelled, chosen, parts)
}

func newMinimalOf(t *testing.T, text string, chosen mode.Mode, parts func(*Parts)) *bundle {
	t.Helper()
	tools, children := newTestTools(), &bundle{t: t}
	children.tools = tools
	registry, err := tool.NewRegistry(tools.toolkit(), tools.shellKit(), delegateKit(children), agent.New())
	must(t, err)
	cfg, _, err := config.Parse("config.yaml", []byte(text), registry, config.Env{})
	must(t, err)
	holder := config.NewHolder(cfg)
	var b *bundle
	live := &atomic.Pointer[bundle]{} // whose engine hears of decisions
	b = newAsking(t, "", func(p *Parts) {
		p.Config, p.Room.Config, p.Room.Registry, p.Room.Policy = holder, holder, registry, shellRules{}
		p.Cards = approval.NewCards(approval.Parts{
			DB: p.DB, Outbox: p.Outbox.(approval.Outbox), Config: holder, Authority: p.Room.Authority, Accounts: house{}, Rooms: house{}, Router: "router",
			Settled: map[tool.Door]func(string){
				tool.DoorTurn: func(turn string) { live.Load().engine.Settled(turn) },
				tool.DoorCLI:  func(turn string) { live.Load().engine.Settled(turn) },
			},
		})
		p.Modes = func(store.Queryer, *config.Agent, identity.Execution) (mode.Mode, error) { return chosen, nil }
		p.Deployment = func() mode.Deployment { return mode.Deployment{API: true} }
		mux := http.NewServeMux()
		server := httptest.NewServer(mux)
		work := lifecycle.New(context.Background())
		doors := turncli.New(turncli.Config{Room: p.Room, Cards: p.Cards.(*approval.Cards), DB: p.DB, Run: work, Origin: func() string { return server.URL }})
		doors.Routes(mux)
		p.CLI = func(o turncli.Opening) (CLIOwner, error) { return doors.Open(o) }
		t.Cleanup(func() {
			b.stop()
			must(t, doors.Close(context.Background()))
			must(t, work.Wait())
			server.Close()
			http.DefaultClient.CloseIdleConnections()
		})
		if parts != nil {
			parts(p)
		}
	})
	b.tools, b.heard, children.engine = tools, live, b.engine
	live.Store(b)
	return b
}

// forkMinimal is what a machine finds that lost its power now, under an engine of
// its own that is not started.
func (b *bundle) forkMinimal() *bundle {
	b.t.Helper()
	next := b.fork()
	next.tools = b.tools
	b.heard.Store(next)
	return next
}

// nothingHeld holds that no call of a turn waits any more.
func (b *bundle) nothingHeld(id string) {
	b.t.Helper()
	b.doorCards(id, 0)
	var left int
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) error {
		return q.QueryRow(`SELECT count(*) FROM turn_waits`).Scan(&left)
	}))
	if left != 0 {
		b.t.Errorf("%d calls are still held", left)
	}
}

// doorCards are the questions of calls inside the commands of a turn.
func (b *bundle) doorCards(id string, want int) []approval.Card {
	b.t.Helper()
	var cards []approval.Card
	b.until(fmt.Sprintf("%d questions of commands", want), func() bool {
		must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) (err error) {
			cards, err = approval.Waiting(q, tool.DoorCLI, id)
			return err
		}))
		return len(cards) == want
	})
	return cards
}
