package mode

// Mode is an interface to an agent's tools.
type Mode string

// The modes. The zero Mode is none; what was never chosen is Standard.
const (
	// Standard: the whole system prompt and every tool's schema in each request.
	Standard Mode = "standard"
	// Minimal: a short prompt and one Bash tool, from which mindroom-agent reaches
	// the others (M01).
	Minimal Mode = "minimal"
)
