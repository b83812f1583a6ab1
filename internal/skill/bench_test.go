package skill

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkFind looks for as many skills as an agent can have, of 5 KB each: what each
// of its responses pays.
func BenchmarkFind(b *testing.B) {
	dir := bench{b, Places{Workspace: b.TempDir()}}
	for i := range MaxSkills {
		name := fmt.Sprintf("s-%03d", i)
		dir.put(true, name+"/SKILL.md", skill(name, "x")+strings.Repeat("\nA line of text.", 300))
	}
	for b.Loop() {
		if n := len(dir.Find().Skills); n != MaxSkills {
			b.Fatalf("found %d", n)
		}
	}
}
