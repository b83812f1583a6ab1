package turncli

import (
	"slices"
	"sync"

	"mindroom/internal/tool"
)

// maxIndexes bounds how many are kept, and so how many surfaces of an older
// configuration stay in memory until others were searched.
const maxIndexes = 8

// indexes are those of the surfaces that were searched last, newest first. All
// responses of an agent share one surface while nothing of it changes, so that only
// the first search reads the functions: with hundreds that takes longer than the
// search.
type indexes struct {
	mu   sync.Mutex
	kept []*indexed
}

type indexed struct {
	surface *tool.Surface
	read    sync.Once
	index   *index
}

// of is the index of a surface. Who comes first reads it, others wait for that.
func (x *indexes) of(surface *tool.Surface, purpose func(toolkit string) string) *index {
	found := x.find(surface)
	found.read.Do(func() { found.index = newIndex(surface.Functions(), purpose) })
	return found.index
}

func (x *indexes) find(surface *tool.Surface) *indexed {
	x.mu.Lock()
	defer x.mu.Unlock()
	found := &indexed{surface: surface}
	if i := slices.IndexFunc(x.kept, func(k *indexed) bool { return k.surface == surface }); i >= 0 {
		found = x.kept[i]
		x.kept = slices.Delete(x.kept, i, i+1)
	}
	x.kept = slices.Insert(x.kept, 0, found)
	if len(x.kept) > maxIndexes {
		x.kept = slices.Delete(x.kept, maxIndexes, len(x.kept))
	}
	return found
}
