package turn

import "mindroom/internal/model"

// loader reads the files that a transcript points at; nil where none are kept.
func (e *Engine) loader() model.MediaLoader {
	if e.Media == nil {
		return nil
	}
	return e.Media.Load
}
