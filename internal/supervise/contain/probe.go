package contain

import (
	"encoding/hex"
	"path/filepath"
)

// Probe makes a Group of this name and removes it again, to tell what a tree started by this process would get. The notes say why it is not better; no notes
// at the best.
func Probe(name string) (Level, Limit, []string, error) {
	g, notes := Create(name, "", true)
	limit := LimitNone
	if g.Pids != "" || exists(g.V2, "pids.max") {
		limit = LimitPids
	}
	return g.Level, limit, notes, g.Remove()
}

// Find returns the Group of this name below the caller's own cgroups, as far as its folders exist: for a tree whose supervisor was lost before it said where
// it is.
func Find(name string) Group {
	g := Group{Level: LevelSubreaper}
	h, err := findHomes()
	if err != nil || !ValidName(name) {
		return g
	}
	for _, p := range []struct {
		to   *string
		home string
	}{{&g.V2, h.v2}, {&g.Freezer, h.freezer}, {&g.Pids, h.pids}} {
		if dir := filepath.Join(p.home, prefix+name); p.home != "" && isDir(dir) {
			*p.to = dir
		}
	}
	if g.V2 != "" {
		g.Level = LevelCgroup2
	} else if g.Freezer != "" {
		g.Level = LevelFreezer
	}
	return g
}

// ValidName reports whether name is what a Group may be called: 32 hexadecimal digits.
func ValidName(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == NameBytes
}

// NameBytes of randomness make a name that is never made twice. Whoever makes one writes them in hexadecimal.
const NameBytes = 16
