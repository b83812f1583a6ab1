package main

import "time"

// Plan is one phase: what one primary is made to carry.
type Plan struct {
	// Name is the phase in the output.
	Name string `json:"name"`
	// Race says that the primary is the build with the race detector.
	Race bool `json:"race"`
	// Callers scripts call without pause; Holders scripts keep Threads calls
	// waiting each.
	Callers int `json:"callers"`
	Holders int `json:"holders"`
	Threads int `json:"threads"`
	// Churners launch short scripts one after another and end them in different ways.
	Churners int `json:"churners"`
	// Length is how long the load lasts, starts and the stop not counted.
	Length time.Duration `json:"length"`
	// Round is the load between two settled samples.
	Round time.Duration `json:"round"`
	// Dir is the folder of the phase.
	Dir string `json:"dir"`
}

// Held is how many calls wait at once.
func (p Plan) Held() int { return p.Holders * p.Threads }

// Retention is how long an ended run is kept: short, so that pruning is part
// of the load.
func (p Plan) Retention() time.Duration { return min(p.Length/3, time.Minute) }

const (
	// rounds is how many settled samples a phase aims at; fewest is how many
	// even the shortest one gets, if need be after its time.
	rounds = 24
	fewest = 8
)

// plans divides the time: three quarters to the ordinary build, one to the race
// build, whose load is smaller because the detector makes everything several
// times slower.
func plans(total time.Duration) []Plan {
	normal := Plan{Name: "normal build", Callers: 64, Holders: 40, Threads: 50, Churners: 2, Length: total * 3 / 4}
	race := Plan{Name: "race build", Race: true, Callers: 16, Holders: 10, Threads: 40, Churners: 1, Length: total / 4}
	all := []Plan{normal, race}
	for i := range all {
		all[i].Round = min(max(all[i].Length/rounds, 3*time.Second), all[i].Length/fewest)
	}
	return all
}
