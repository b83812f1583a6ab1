package contain

// Level names how firmly a tree is held.
type Level string

// The levels, best first; see the package's page.
const (
	LevelCgroup2   Level = "cgroup2"
	LevelFreezer   Level = "freezer"
	LevelSubreaper Level = "subreaper"
)

// Known reports whether l is one of the three.
func (l Level) Known() bool { return l.rank() > 0 }

func (l Level) rank() int {
	switch l {
	case LevelCgroup2:
		return 3
	case LevelFreezer:
		return 2
	case LevelSubreaper:
		return 1
	}
	return 0
}

// allows reports whether a tree capped at l may use other; no cap allows everything.
func (l Level) allows(other Level) bool { return l == "" || l.rank() >= other.rank() }

// Limit names what enforces a bound on the number of tasks.
type Limit string

// The enforcers.
const (
	// LimitPids: a pids cgroup, exact and for this tree alone.
	LimitPids Limit = "pids"
	// LimitNproc: RLIMIT_NPROC, counted over all tasks of the tree's user; used only when told that the user has no other, and not for root, whom the
	// kernel exempts.
	LimitNproc Limit = "nproc"
	// LimitNone: nothing bounds the tree.
	LimitNone Limit = "none"
)

// Group is where a tree is held. It is recorded, so that whoever finds the tree without its supervisor can still end it. The folders are absolute; an
// empty one is not used.
type Group struct {
	Level   Level  `json:"level"`
	V2      string `json:"v2,omitempty"`
	Freezer string `json:"freezer,omitempty"`
	Pids    string `json:"pids,omitempty"`
}

// Holds reports whether the Group has a folder whose emptiness proves that the tree is gone.
func (g Group) Holds() bool { return g.V2 != "" || g.Freezer != "" || g.Pids != "" }

func (g Group) dirs() []string {
	var d []string
	for _, dir := range []string{g.V2, g.Freezer, g.Pids} {
		if dir != "" {
			d = append(d, dir)
		}
	}
	return d
}
