package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/model"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
	"mindroom/test/bench/fixture"
)

// Budgets of a minimal request, in percent of the standard one of the same agent.
const (
	share60  = 8
	share500 = 1.5
)

// tokens is what one request of the fixture's agent costs in both modes.
type tokens struct {
	functions, standard, minimal int
	// offered is how many functions a model gets: of those whose name two toolkits
	// share it gets the first.
	offered int
}

func (t tokens) share() float64 { return 100 * float64(t.minimal) / float64(t.standard) }

// requests are the size of one request, system prompt, tools and a first short
// message, with sixty functions and with five hundred.
func (b *bench) requests(ctx context.Context) ([]Row, error) {
	var rows []Row
	var minimal []int
	for _, c := range []struct {
		only   []string
		budget float64
	}{{fixture.Small, share60}, {nil, share500}} {
		got, notes, err := ofDialects(ctx, c.only)
		if err != nil {
			return nil, err
		}
		first := got[0]
		of := fmt.Sprintf(", %d functions", first.functions)
		rows = append(rows,
			value("tokens of a request in standard mode"+of, "tokens", float64(first.standard)).note("%d names reach the model, which gets the first of two functions of one name; counted by o200k_base, the %s body", first.offered, dialects[0].name),
			value("tokens of a request in minimal mode"+of, "tokens", float64(first.minimal)).note("%s", notes),
			value("a minimal request in percent of a standard one"+of, "%", first.share()).within(Value, c.budget),
		)
		minimal = append(minimal, first.minimal)
	}
	return append(rows, value("tokens a minimal request has more with 500 functions than with 60", "tokens", float64(minimal[1]-minimal[0])).
		note("the names of the other toolkits")), nil
}

// ofDialects counts for each provider, and says what the others have.
func ofDialects(ctx context.Context, only []string) (all []tokens, notes string, err error) {
	var others []string
	for i, d := range dialects {
		got, err := tokensOf(ctx, d.build, d.key, only)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", d.name, err)
		}
		all = append(all, got)
		if i > 0 {
			others = append(others, fmt.Sprintf("the %s body: %d of %d, %s %%", d.name, got.minimal, got.standard, number(got.share())))
		}
	}
	return all, strings.Join(others, "; "), nil
}

// tokensOf counts the requests of an agent that has the named toolkits of the fixture,
// all when only is nil.
func tokensOf(ctx context.Context, build model.Constructor, key string, only []string) (t tokens, err error) {
	surface, err := fixtureSurface(only)
	if err != nil {
		return t, err
	}
	standard, err := fixture.Standard()
	if err != nil {
		return t, err
	}
	t.functions, t.offered = len(surface.Functions()), len(surface.Tools())
	for _, mode := range []struct {
		system string
		tools  []model.Tool
		into   *int
	}{
		{standard, surface.Tools(), &t.standard},
		{fixture.Minimal(surface.Toolkits()), turn.MinimalTools(), &t.minimal},
	} {
		body, err := written(ctx, build, key, model.Request{System: mode.system, Tools: mode.tools, Messages: fixture.Question()})
		if err != nil {
			return t, err
		}
		if *mode.into, err = counted(body); err != nil {
			return t, err
		}
	}
	return t, nil
}

// fixtureSurface is what the fixture's agent has, resolved as a turn resolves it.
func fixtureSurface(only []string) (*tool.Surface, error) {
	toolkits, err := fixture.Toolkits()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range toolkits {
		if only == nil || slices.Contains(only, t.Name) {
			names = append(names, t.Name)
		}
	}
	registry, err := tool.NewRegistry(toolkits...)
	if err != nil {
		return nil, err
	}
	c, _, err := config.Parse("config.yaml", fmt.Appendf(nil, `models: {default: {provider: scripted, id: offline}}
agents: {helper: {display_name: Helper, tools: [%s]}}
defaults: {tools: []}
authorization: {default_room_access: true}
`, strings.Join(names, ", ")), registry, config.Env{})
	if err != nil {
		return nil, err
	}
	return registry.Surface(&config.Snapshot{Number: 1, Config: c}, "helper")
}
