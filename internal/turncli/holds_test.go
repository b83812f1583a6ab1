package turncli

import (
	"fmt"
	"sync"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// holds keeps waiting calls in memory and counts what is asked of it.
type holds struct {
	mu    sync.Mutex
	kept  map[tool.Ref]tool.Call
	begun map[tool.Ref]int
	ended map[tool.Ref]int
	deny  error
}

func newHolds() *holds {
	return &holds{kept: map[tool.Ref]tool.Call{}, begun: map[tool.Ref]int{}, ended: map[tool.Ref]int{}}
}

func (h *holds) Hold(_ *store.Tx, c tool.Call) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.kept[c.Ref] = c
	return nil
}

func (h *holds) Begin(_ *store.Tx, ref tool.Ref) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.deny != nil {
		return h.deny
	}
	if _, kept := h.kept[ref]; !kept || h.begun[ref] > 0 {
		return fmt.Errorf("%s is not to begin", ref)
	}
	h.begun[ref]++
	return nil
}

func (h *holds) End(_ *store.Tx, ref tool.Ref) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended[ref]++
	delete(h.kept, ref)
	return nil
}

func (h *holds) call(ref tool.Ref) (tool.Call, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.kept[ref]
	return c, ok
}
