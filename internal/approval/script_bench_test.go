package approval

import "testing"

// BenchmarkCheck is what a script rule adds to a call once its file is warm.
func BenchmarkCheck(b *testing.B) {
	const text = "def check(tool_name, arguments, agent_name):\n    return arguments.get('to') != 'anna'\n"
	for _, language := range []string{"py", "star"} {
		b.Run(language, func(b *testing.B) {
			s, path, about := scripts(b), file(b, language, text), subject(b, `{"to":"ben","text":"hello"}`)
			for b.Loop() {
				if needs, err := s.Check(b.Context(), path, about); err != nil || !needs {
					b.Fatal(needs, err)
				}
			}
		})
	}
}
