package turncli

import (
	"sync"
	"testing"

	"mindroom/internal/tool"
)

// One surface is read once, however many responses search it at once; the least
// recently searched is forgotten first.
func TestIndexesAreShared(t *testing.T) {
	t.Parallel()
	var x indexes
	purpose := func(string) string { return "" }
	surface := &tool.Surface{}
	var all sync.WaitGroup
	got := make([]*index, 16)
	for i := range got {
		all.Go(func() { got[i] = x.of(surface, purpose) })
	}
	all.Wait()
	for _, index := range got {
		if index == nil || index != got[0] {
			t.Fatalf("%p and %p for one surface", index, got[0])
		}
	}
	second := &tool.Surface{}
	other := x.of(second, purpose)
	if other == got[0] {
		t.Fatal("two surfaces have one index")
	}
	for range maxIndexes - 1 {
		x.of(surface, purpose) // stays the newest but one
		x.of(&tool.Surface{}, purpose)
	}
	if len(x.kept) != maxIndexes {
		t.Errorf("%d are kept, want %d", len(x.kept), maxIndexes)
	}
	if x.of(surface, purpose) != got[0] {
		t.Error("what was searched just now was forgotten")
	}
	if x.of(second, purpose) == other {
		t.Error("what was not searched for long is still kept")
	}
}
