package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"mindroom/internal/model"
)

// fakeModel plays one answer a call, in order.
type fakeModel struct {
	mu      sync.Mutex
	answers []answer
	// agents are the answers of single agents, which then answer side by side.
	agents   map[string][]answer
	requests []model.Request
}

// answer is one call of the model.
type answer func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error)

func (m *fakeModel) Name() string { return "scripted" }

func (m *fakeModel) Stream(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
	m.mu.Lock()
	n := len(m.requests)
	req.Messages = append([]model.Message(nil), req.Messages...)
	m.requests = append(m.requests, req)
	if own, ok := m.agents[req.Agent]; ok && len(own) > 0 {
		m.agents[req.Agent] = own[1:]
		m.mu.Unlock()
		return own[0](ctx, req, sink)
	}
	if n >= len(m.answers) {
		m.mu.Unlock()
		return model.Response{}, &model.Error{Kind: model.KindOther, Provider: "scripted", Detail: fmt.Sprintf("no answer %d", n+1)}
	}
	a := m.answers[n]
	m.mu.Unlock()
	return a(ctx, req, sink)
}

func (m *fakeModel) plays(answers ...answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = append(m.answers, answers...)
}

// plan adds answers of one agent.
func (m *fakeModel) plan(agent string, answers ...answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agents[agent] = append(m.agents[agent], answers...)
}

// askedOf are the questions to one agent.
func (m *fakeModel) askedOf(agent string) (all []model.Request) {
	for _, req := range m.asked() {
		if req.Agent == agent {
			all = append(all, req)
		}
	}
	return all
}

func (m *fakeModel) asked() []model.Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]model.Request(nil), m.requests...)
}

// says answers with text, in pieces.
func says(text string) answer {
	return func(_ context.Context, _ model.Request, sink func(model.Event)) (model.Response, error) {
		for _, word := range strings.SplitAfter(text, " ") {
			sink(model.Event{Text: word})
		}
		return model.Response{Message: model.Message{Role: model.RoleAssistant, Parts: []model.Part{model.TextPart(text)}},
			Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 5}}, nil
	}
}

// calls answers with tool calls: name and arguments in turn.
func calls(pairs ...string) answer {
	return func(context.Context, model.Request, func(model.Event)) (model.Response, error) {
		m := model.Message{Role: model.RoleAssistant}
		for i := 0; i < len(pairs); i += 2 {
			m.Parts = append(m.Parts, model.CallPart(model.Call{ID: fmt.Sprintf("c%d", i/2), Name: pairs[i], Arguments: json.RawMessage(pairs[i+1])}))
		}
		return model.Response{Message: m, Stop: model.StopToolCalls, Usage: model.Usage{Input: 10, Output: 5}}, nil
	}
}

// hangs streams a text and then waits for the end of its context.
func hangs(text string, reached chan<- struct{}) answer {
	return func(ctx context.Context, _ model.Request, sink func(model.Event)) (model.Response, error) {
		sink(model.Event{Text: text})
		close(reached)
		<-ctx.Done()
		return model.Response{}, &model.Error{Kind: model.KindCancelled, Provider: "scripted", Err: ctx.Err()}
	}
}
