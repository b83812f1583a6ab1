package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mindroom/internal/tool"
	"mindroom/test/bench/fixture"
)

// firstFive is how far an agent reads down the answer to a search.
const firstFive = 5

// mostMisses is the budget of searches that do not find, in percent.
const mostMisses = 10

// found is how the searches of one set ended.
type found struct {
	queries, first, five int
	// missed are the queries without a hit in the first five.
	missed []string
	took   sample
	// tokens are those of the answers.
	tokens sample
}

func (f found) misses() float64 { return 100 * float64(f.queries-f.five) / float64(f.queries) }

// discovery is what an agent pays to find one of five hundred functions, and how often
// it does.
func (b *bench) discovery(ctx context.Context) ([]Row, error) {
	return b.withResponse(ctx, func(ctx context.Context, p *response) ([]Row, error) {
		var rows []Row
		var took, tokens sample
		for _, set := range []struct{ name, what string }{
			{fixture.Held, "written before the search"}, {fixture.Late, "written after it, of other functions"},
		} {
			got, err := p.searches(ctx, set.name)
			if err != nil {
				return nil, err
			}
			took, tokens = append(took, got.took...), append(tokens, got.tokens...)
			rows = append(rows, value("searches without a hit in the first five, set "+set.name, "%", got.misses()).within(Value, mostMisses).
				note("%d of %d paraphrased queries hit, %d of them in the first place; %s", got.five, got.queries, got.first, set.what))
		}
		rows = append(rows,
			spread("tools search over 500 functions, through the route", "ms", took),
			spread("an answer to tools search", "tokens", tokens).note("twenty functions with description and signature, or 16 KiB of them"),
		)
		listed, err := p.listed(ctx)
		return append(rows, listed...), err
	})
}

// searches asks every query of a set.
func (p *response) searches(ctx context.Context, set string) (f found, err error) {
	queries, err := fixture.Queries(set)
	if err != nil {
		return f, err
	}
	for _, q := range queries {
		start := time.Now()
		raw, err := p.ask(ctx, map[string]any{"operation": "tools.search", "query": q.Text})
		if err != nil {
			return f, fmt.Errorf("search %q: %w", q.Text, err)
		}
		f.took = append(f.took, milliseconds(time.Since(start)))
		names, err := namesIn(raw)
		if err != nil {
			return f, err
		}
		n, err := counted(raw)
		if err != nil {
			return f, err
		}
		f.tokens = append(f.tokens, float64(n))
		f.queries++
		names = names[:min(len(names), firstFive)]
		switch {
		case q.Found(names[:min(len(names), 1)]):
			f.first++
			f.five++
		case q.Found(names):
			f.five++
		default:
			f.missed = append(f.missed, q.Text)
		}
	}
	return f, nil
}

// page is the answer to tools.list and tools.search.
type page struct {
	Items []struct{ Toolkit, Function string }
	Next  *string `json:"next_cursor"`
}

func namesIn(raw []byte) ([]tool.Name, error) {
	var answer page
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	var names []tool.Name
	for _, item := range answer.Items {
		names = append(names, tool.Name{Toolkit: item.Toolkit, Function: item.Function})
	}
	return names, nil
}

// listed is the size of what tools list tells: its first page, which an agent reads
// when it asks without a limit, and everything.
func (p *response) listed(ctx context.Context) ([]Row, error) {
	var tokens []float64
	functions, cursor := 0, ""
	for {
		operation := map[string]any{"operation": "tools.list"}
		if cursor != "" {
			operation["cursor"] = cursor
		}
		raw, err := p.ask(ctx, operation)
		if err != nil {
			return nil, err
		}
		n, err := counted(raw)
		if err != nil {
			return nil, err
		}
		var answer page
		if err := json.Unmarshal(raw, &answer); err != nil {
			return nil, err
		}
		tokens = append(tokens, float64(n))
		functions += len(answer.Items)
		if answer.Next == nil {
			break
		}
		cursor = *answer.Next
	}
	all := 0.0
	for _, n := range tokens {
		all += n
	}
	return []Row{value("tools list, first page", "tokens", tokens[0]).
		note("all %d functions in %d pages: %.0f tokens, %.0f a function, signatures included", functions, len(tokens), all, all/float64(functions))}, nil
}
