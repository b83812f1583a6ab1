package supervise

import (
	"runtime"

	"mindroom/internal/supervise/contain"
)

// Containment is what a tree started now would get: for doctor.
type Containment struct {
	Level Level
	// Limit is what would enforce MaxProcs; LimitNone may still become LimitNproc for a Spec with OwnUser.
	Limit Limit
	// Notes say why it is not better, one sentence each.
	Notes []string
}

// Probe tries, with a group that it makes and removes, how firmly trees can be held here.
func Probe() (Containment, error) {
	if runtime.GOOS != "linux" {
		return Containment{}, unsupported()
	}
	level, limit, notes, err := contain.Probe(newName())
	if err != nil {
		return Containment{}, err
	}
	return Containment{Level: level, Limit: limit, Notes: notes}, nil
}

func unsupported() error {
	return &Error{Kind: KindUnsupported, Text: "process trees can be contained only on Linux; run MindRoom there, or use a worker"}
}
