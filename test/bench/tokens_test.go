package main

import (
	"testing"

	"mindroom/test/bench/fixture"
)

// A minimal request is a small part of a standard one, and nearly the same however many
// functions there are: in the form of every provider.
func TestMinimalShare(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			small, err := tokensOf(t.Context(), d.build, d.key, fixture.Small)
			if err != nil {
				t.Fatal(err)
			}
			large, err := tokensOf(t.Context(), d.build, d.key, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("60 functions: %d of %d tokens, %.2f %%; 500: %d of %d, %.2f %%", small.minimal, small.standard, small.share(), large.minimal, large.standard, large.share())
			if small.functions != 60 || large.functions != 500 {
				t.Errorf("%d and %d functions", small.functions, large.functions)
			}
			if small.share() > share60 {
				t.Errorf("with 60 functions a minimal request has %.2f %% of the tokens, want at most %v %%", small.share(), share60)
			}
			if large.share() > share500 {
				t.Errorf("with 500 functions a minimal request has %.2f %% of the tokens, want at most %v %%", large.share(), share500)
			}
			// Forty-four names of toolkits.
			if more := large.minimal - small.minimal; more < 0 || more > 5*44 {
				t.Errorf("440 functions more cost a minimal request %d tokens", more)
			}
			if small.standard < 60*80 || large.standard < large.offered*80 {
				t.Errorf("a standard request has only %d and %d tokens: are all tools in it?", small.standard, large.standard)
			}
		})
	}
}
