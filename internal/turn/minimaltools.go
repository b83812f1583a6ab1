package turn

import (
	"slices"

	"mindroom/internal/model"
)

// MinimalTools are the functions that a model in minimal mode is offered: one.
// Whoever counts the size of a request needs them (test/bench).
func MinimalTools() []model.Tool { return slices.Clone(bashTools) }
