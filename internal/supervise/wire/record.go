package wire

import (
	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
)

// Cause says why a tree ended: the first reason wins and is never overwritten.
type Cause string

// The causes. Whoever reads one decides from it; the exit code and the signal are facts beside it.
const (
	// CauseExited: the leader returned by itself.
	CauseExited Cause = "exited"
	// CauseSignalled: the leader died of a signal that neither the client nor the supervisor sent.
	CauseSignalled Cause = "signalled"
	// CauseDeadline: the Spec's deadline passed (S05).
	CauseDeadline Cause = "deadline"
	// CauseCancelled: the client asked for a graceful end.
	CauseCancelled Cause = "cancelled"
	// CauseKilled: the client asked for a forced end, or the supervisor was told to terminate.
	CauseKilled Cause = "killed"
	// CauseOrphaned: the client was gone, for longer than the Spec's orphan grace or when a new primary reclaimed the run.
	CauseOrphaned Cause = "orphaned"
	// CauseStartFailed: the leader was never started; Error says why.
	CauseStartFailed Cause = "start_failed"
	// CauseLost: the supervisor itself died. What is left was ended by the client; how the leader ended is not known (S71).
	CauseLost Cause = "lost"
)

// Proof says how it is known that nothing of the tree is left.
type Proof string

// The proofs, the strongest first.
const (
	// ProofReaped: the supervisor, subreaper of the whole tree, has no child left.
	ProofReaped Proof = "reaped"
	// ProofBoot: the machine was started again since.
	ProofBoot Proof = "boot"
	// ProofCgroup: the cgroup that every process of the tree was born into is empty.
	ProofCgroup Proof = "cgroup"
	// ProofNamespace: the supervisor is dead and its PID namespace is not ours, so its container ended.
	ProofNamespace Proof = "namespace"
	// ProofSearch: no recorded identity and no process with the tree's marker is alive. A process that was born after the last recording and had emptied its
	// environment would escape this one; it is the best there is where neither cgroups nor a live supervisor help.
	ProofSearch Proof = "search"
	// ProofNothing: nothing was ever started.
	ProofNothing Proof = "nothing"
)

// Exit is how the leader ended; zero while it runs.
type Exit struct {
	// Code is the exit code; minus the signal's number when a signal ended it; nil when it is not known or there was no leader.
	Code *int `json:"code"`
	// Signal is the name of the signal that ended the leader, "SIGKILL" for one; empty when none did.
	Signal string `json:"signal,omitempty"`
	// At is when the supervisor saw the exit.
	At Instant `json:"at"`
}

// Record is the final word about a tree: the content of exit.json. It is written only when nothing of the tree is left.
type Record struct {
	Protocol int    `json:"protocol"`
	ID       string `json:"id"`
	Cause    Cause  `json:"cause"`
	Exit     Exit   `json:"exit"`
	// Error explains CauseStartFailed and CauseLost to a person.
	Error string `json:"error,omitempty"`
	// StartedAt is zero when the leader never started. FinishedAt is when the tree was proven empty, not when the leader ended.
	StartedAt  Instant       `json:"started_at"`
	FinishedAt Instant       `json:"finished_at"`
	Level      contain.Level `json:"level"`
	Proof      Proof         `json:"proof"`
	// OutputTotal counts every byte the tree wrote; Tail is the last of them as valid UTF-8, at most the Spec's TailBytes (S75).
	OutputTotal int64  `json:"output_total"`
	Tail        string `json:"tail"`
}

// Identity is the content of supervisor.json: whatever a later primary needs to find the tree when the supervisor cannot be asked.
type Identity struct {
	Protocol   int           `json:"protocol"`
	ID         string        `json:"id"`
	Boot       string        `json:"boot"`
	Namespace  string        `json:"namespace"`
	Supervisor proc.Ident    `json:"supervisor"`
	Leader     proc.Ident    `json:"leader"`
	StartedAt  Instant       `json:"started_at"`
	Group      contain.Group `json:"group"`
	Tree       []proc.Ident  `json:"tree,omitempty"`
}
