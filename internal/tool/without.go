package tool

import "slices"

// Without is the surface less some functions, for a caller that is offered less than
// its agent has. Toolkits without a function left are gone with them; s is not
// changed.
func (s *Surface) Without(withheld func(*Function) bool) *Surface {
	less := &Surface{Agent: s.Agent, Problems: s.Problems, versions: s.versions, deferred: s.deferred, byName: map[Name]*Function{}}
	for _, f := range s.functions {
		if withheld(f) {
			continue
		}
		less.functions = append(less.functions, f)
		less.byName[f.Name] = f
		if !slices.Contains(less.toolkits, f.Name.Toolkit) {
			less.toolkits = append(less.toolkits, f.Name.Toolkit)
		}
	}
	less.show(nil)
	return less
}

// Whole is the surface with nothing left to load.
func (s *Surface) Whole() *Surface {
	whole := *s
	whole.deferred = nil
	whole.show(nil)
	return &whole
}
