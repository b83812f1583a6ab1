package local

import (
	"mindroom/internal/supervise"
	"mindroom/internal/worker"
)

// causes puts a supervisor's word into the port's terms.
var causes = map[supervise.Cause]worker.Cause{
	supervise.CauseExited:      worker.CauseExited,
	supervise.CauseSignalled:   worker.CauseSignalled,
	supervise.CauseDeadline:    worker.CauseDeadline,
	supervise.CauseCancelled:   worker.CauseEnded,
	supervise.CauseKilled:      worker.CauseEnded,
	supervise.CauseOrphaned:    worker.CauseOrphaned,
	supervise.CauseStartFailed: worker.CauseLost,
	supervise.CauseLost:        worker.CauseLost,
}

func exitOf(r supervise.Record) worker.Exit {
	cause, ok := causes[r.Cause]
	if !ok {
		cause = worker.CauseLost
	}
	at := r.Exit.At.Time
	if at.IsZero() {
		at = r.FinishedAt.Time
	}
	return worker.Exit{
		Cause: cause, Code: r.Exit.Code, Signal: r.Exit.Signal, At: at,
		Output: r.Tail, Containment: string(r.Level),
	}
}
