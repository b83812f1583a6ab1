package main

import (
	"net/http"
	"testing"

	"mindroom/test/bench/fixture"
	"mindroom/test/rig"
)

// Nine of ten paraphrased queries find their function in the first five of the answer,
// through the route that mindroom-agent asks.
func TestSearchHits(t *testing.T) {
	t.Parallel()
	toolkits, err := fixture.Toolkits()
	if err != nil {
		t.Fatal(err)
	}
	r, err := rig.Open(t.Context(), t.TempDir(), rig.Options{WithoutProcesses: true, Toolkits: toolkits})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		http.DefaultClient.CloseIdleConnections()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	p, err := respond(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer p.end(t.Context())
	for _, set := range []string{fixture.Tune, fixture.Held, fixture.Late} {
		got, err := p.searches(t.Context(), set)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d of %d queries hit in the first five, %d in the first place", set, got.five, got.queries, got.first)
		if got.misses() > mostMisses {
			t.Errorf("%s: %.1f %% of the queries do not hit, want at most %d %%", set, got.misses(), mostMisses)
		}
		if set == fixture.Tune { // only these may be looked at
			t.Logf("missed: %q", got.missed)
		}
	}
	if rows, err := p.listed(t.Context()); err != nil || len(rows) != 1 || rows[0].Figures[Value] < 1000 {
		t.Errorf("the list: %+v, %v", rows, err)
	}
}
