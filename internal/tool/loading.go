package tool

import (
	"slices"

	"mindroom/internal/model"
)

// Deferral says of a toolkit whether the model gets it only when it was loaded, and
// whether it is loaded at the start of a conversation (spec/runtime.md 1.5).
func (s *Surface) Deferral(toolkit string) (deferred, initial bool) {
	initial, deferred = s.deferred[toolkit]
	return deferred, initial
}

// Defers reports whether there is a toolkit that has to be loaded.
func (s *Surface) Defers() bool { return len(s.deferred) > 0 }

// With is the surface as a model has it in a conversation in which toolkits were
// loaded (true) and unloaded (false); a toolkit it does not name is as at the start.
// What is loaded changes what a model is shown and what it means by a name, never
// what the agent may call.
func (s *Surface) With(loaded map[string]bool) *Surface {
	if !s.Defers() {
		return s
	}
	with := *s
	with.show(loaded)
	return &with
}

// Loaded reports whether the model has the functions of a toolkit.
func (s *Surface) Loaded(toolkit string) bool {
	return slices.ContainsFunc(s.functions, func(f *Function) bool {
		return f.Name.Toolkit == toolkit && s.bare[f.Name.Function] == f
	})
}

// Unloaded lists the toolkits that could be loaded.
func (s *Surface) Unloaded() []string {
	var names []string
	for _, name := range s.toolkits {
		if deferred, _ := s.Deferral(name); deferred && !s.Loaded(name) {
			names = append(names, name)
		}
	}
	return names
}

// show makes what a model gets.
func (s *Surface) show(loaded map[string]bool) {
	s.bare, s.tools = map[string]*Function{}, nil
	for _, f := range s.functions {
		shown, deferred := s.deferred[f.Name.Toolkit]
		if now, said := loaded[f.Name.Toolkit]; said {
			shown = now
		}
		if _, taken := s.bare[f.Name.Function]; taken || deferred && !shown {
			continue
		}
		s.bare[f.Name.Function] = f
		s.tools = append(s.tools, model.Tool{Name: f.Name.Function, Description: f.Description, Schema: f.Schema})
	}
}
