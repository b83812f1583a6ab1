package turn

import (
	"context"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// loadTools makes the surface of the next question what the conversation has loaded
// by now.
func (r *response) loadTools(ctx context.Context) error {
	if r.e.Loaded == nil || !r.surface.Defers() {
		return nil
	}
	var loaded map[string]bool
	err := r.persist(ctx, func() error {
		return r.e.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
			loaded, err = r.e.Loaded(q, r.snap, r.row.who)
			return err
		})
	})
	if err == nil {
		r.surface = r.surface.With(loaded)
	}
	return err
}

// unloaded says of a function that the model has not loaded how to get it; nil when
// it is none.
func (r *response) unloaded(function string) *tool.Fault {
	for _, f := range r.surface.Functions() {
		if f.Name.Function == function {
			return tool.Faultf(tool.FaultUnknown, "%s belongs to the toolkit %s, which is not loaded: call load_tool with its name first", function, f.Name.Toolkit)
		}
	}
	return nil
}
