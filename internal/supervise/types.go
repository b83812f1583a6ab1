package supervise

import (
	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/tail"
	"mindroom/internal/supervise/wire"
)

// What is said to a supervisor and heard from it; documented where it is declared.
type (
	Spec       = wire.Spec
	LeaderExit = wire.LeaderExit
	EndMode    = wire.EndMode
	Phase      = wire.Phase
	Cause      = wire.Cause
	Proof      = wire.Proof
	Exit       = wire.Exit
	Record     = wire.Record
	Instant    = wire.Instant
	Level      = contain.Level
	Limit      = contain.Limit
)

// The values of those types that callers name.
const (
	LeaderExitKill = wire.LeaderExitKill
	LeaderExitKeep = wire.LeaderExitKeep

	EndGraceful = wire.EndGraceful
	EndForce    = wire.EndForce

	PhaseStarting = wire.PhaseStarting
	PhaseRunning  = wire.PhaseRunning
	PhaseDetached = wire.PhaseDetached
	PhaseEnding   = wire.PhaseEnding
	PhaseDead     = wire.PhaseDead
	// PhaseLost is the client's own: the supervisor is gone and the tree is not yet proven dead.
	PhaseLost Phase = "lost"

	CauseExited      = wire.CauseExited
	CauseSignalled   = wire.CauseSignalled
	CauseDeadline    = wire.CauseDeadline
	CauseCancelled   = wire.CauseCancelled
	CauseKilled      = wire.CauseKilled
	CauseOrphaned    = wire.CauseOrphaned
	CauseStartFailed = wire.CauseStartFailed
	CauseLost        = wire.CauseLost

	LevelCgroup2   = contain.LevelCgroup2
	LevelFreezer   = contain.LevelFreezer
	LevelSubreaper = contain.LevelSubreaper

	LimitPids  = contain.LimitPids
	LimitNproc = contain.LimitNproc
	LimitNone  = contain.LimitNone

	// TextPath is where the leader finds Spec.Text.
	TextPath = wire.TextPath
)

// Status is where a tree stands at one moment.
type Status struct {
	Phase Phase
	// ID is the tree's random name.
	ID string
	// Pid is the leader's; 0 before it was started. It may be somebody else's once the leader has ended.
	Pid       int
	StartedAt Instant
	// Exited and Exit tell the leader's end; Cause why the tree ends or ended, empty while nothing ends it.
	Exited bool
	Exit   Exit
	Cause  Cause
	// Level and Limit say how firmly the tree is held and what bounds its number of tasks.
	Level Level
	Limit Limit
	// Procs counts the living processes of the tree.
	Procs int
	// OutputTotal counts every byte of output so far.
	OutputTotal int64
	// Trouble tells the first thing that went wrong without stopping anything; empty when all is well.
	Trouble string
}

// Chunk is a piece of the output; see tail.Chunk for what its parts mean and for its text.
type Chunk struct {
	tail.Chunk
	// Done: the tree is dead and nothing follows this piece.
	Done bool
}
