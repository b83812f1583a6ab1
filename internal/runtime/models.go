package runtime

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/model"
	"mindroom/internal/model/anthropic"
	"mindroom/internal/model/openai"
	"mindroom/internal/model/scripted"
	"mindroom/internal/turn"
)

// Providers is every model provider of this build; adding one is one line.
func Providers() model.Registry {
	r := model.Registry{"anthropic": anthropic.New, "scripted": scripted.New}
	for name, construct := range openai.Constructors() {
		r[name] = construct
	}
	return r
}

// models makes a provider once for what the configuration says of its model, so
// that a reload that leaves it alone keeps its connections.
type models struct {
	registry model.Registry
	env      config.Env
	log      *slog.Logger

	mu   sync.Mutex
	made map[string]made
}

// made is a provider with what it was made from.
type made struct {
	from config.Model
	dir  string
	model.Provider
}

var _ config.Participant = (*models)(nil)

// Prepare refuses a configuration of which a model cannot be made.
func (m *models) Prepare(_, next *config.Snapshot) error { return m.check(next) }

// Commit has nothing to do: providers are found by their configuration.
func (m *models) Commit(_, _ *config.Snapshot) {}

// find is the model of an agent in a room: the room's, else the agent's.
func (m *models) find(names func(room string) []string) turn.Models {
	return func(snap *config.Snapshot, agent, room string) (turn.Model, error) {
		a, ok := snap.Config.Agents[agent]
		if !ok {
			return turn.Model{}, fmt.Errorf("agent %s is no longer configured", agent)
		}
		name := a.Model
		for _, alias := range names(room) {
			if over, ok := snap.Config.RoomModels[alias]; ok {
				name = over
				break
			}
		}
		return m.named(snap, name)
	}
}

func (m *models) named(snap *config.Snapshot, name string) (turn.Model, error) {
	c, ok := snap.Config.Models[name]
	if !ok {
		return turn.Model{}, fmt.Errorf("model %s is not in the configuration; add it under models", name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	dir := filepath.Dir(snap.Config.Source.Path)
	p, ok := m.made[name]
	if !ok || p.dir != dir || !reflect.DeepEqual(p.from, c) {
		fresh, err := m.registry.New(c.Provider, model.Settings{
			ID: c.ID, Host: c.Host, ExtraKwargs: c.ExtraKwargs, Getenv: m.env.Get, Dir: dir,
		})
		if err != nil {
			return turn.Model{}, fmt.Errorf("model %s: %w", name, err)
		}
		p = made{c, dir, model.Retrying(fresh, m.policy(name))}
		if m.made == nil {
			m.made = map[string]made{}
		}
		m.made[name] = p
	}
	return turn.Model{Provider: p.Provider, Name: name, Kind: c.Provider, ID: c.ID, Window: c.ContextWindow, Sees: model.SightOf(c.Provider, c.Images)}, nil
}

// policy is how a model is asked again; the log hears of each time, because the
// room only sees that the answer is slow.
func (m *models) policy(name string) model.Policy {
	policy := model.DefaultPolicy()
	policy.Waiting = func(attempt int, wait time.Duration, failure *model.Error) {
		m.log.Warn("a model is asked again", "model", name, "attempt", attempt+1, "after", wait.Round(time.Millisecond), "err", failure)
	}
	return policy
}

// check makes every configured model once, so that a faulty one is told at the
// start and not to the first person who writes.
func (m *models) check(snap *config.Snapshot) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(snap.Config.Models)) {
		if _, err := m.named(snap, name); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
