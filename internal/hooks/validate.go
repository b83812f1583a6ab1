package hooks

import (
	"fmt"

	"mindroom/internal/config"
)

// Validate tells the hooks whose program could not be run as things are, at
// their place in the file. Nothing is run, and no address is asked.
func Validate(hooks []config.ToolHook) (faults config.Errors) {
	for i, h := range hooks {
		if h.URL != "" {
			continue
		}
		if _, err := find(h.Run); err != nil {
			faults = append(faults, config.Error{Pos: h.Pos, Path: fmt.Sprintf("tool_hooks[%d].run", i), Message: err.Error()})
		}
	}
	return faults
}
