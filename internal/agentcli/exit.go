package agentcli

// The exit statuses (C13, spec/agentcli.md 1.3).
const (
	// ExitDone is a read that worked, a call that completed, or help.
	ExitDone = 0
	// ExitFailed is a call that failed, was denied or cancelled.
	ExitFailed = 1
	// ExitInvalid is wrong use, unusable arguments, or a request that the server rejected.
	ExitInvalid = 2
	// ExitPending is a call that is queued, running or waiting.
	ExitPending = 3
	// ExitUnknown is no authority, or an outcome that is not known.
	ExitUnknown = 4
)

// pending tells whether a call of this status may still change.
func pending(status string) bool {
	return status == "queued" || status == "running" || status == "waiting"
}

// exitOf is the exit status of a document by its top-level status; a document without one is a read. A status of a later
// protocol means that the outcome is not known here.
func exitOf(status string) int {
	switch {
	case status == "" || status == "completed":
		return ExitDone
	case status == "failed" || status == "cancelled":
		return ExitFailed
	case pending(status):
		return ExitPending
	}
	return ExitUnknown
}
