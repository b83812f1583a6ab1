package wire

import (
	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
)

// Start is the first frame, from client to supervisor, and the only one of its kind.
type Start struct {
	Protocol int    `json:"protocol"`
	Build    string `json:"build"`
	// ID is the tree's random name (contain.ValidName): its marker in the environment and the name of its cgroups. The client chooses it, so that it can find
	// the tree even if the supervisor dies before its first word.
	ID   string `json:"id"`
	Spec Spec   `json:"spec"`
}

// Request is every later frame from client to supervisor. Each field is independent; zero fields ask for nothing.
type Request struct {
	// Ask wants a fresh State whose Answered is at least this number. Numbers rise; the first is 1.
	Ask uint64 `json:"ask,omitempty"`
	// Watch wants a State as soon as more than *Watch bytes of output were seen, once.
	Watch *int64 `json:"watch,omitempty"`
	// End asks for the end of the tree: "graceful" or "force". A force after a graceful one cuts its grace short.
	End EndMode `json:"end,omitempty"`
}

// EndMode says how a tree is asked to end.
type EndMode string

// The two ways. Both end with a proof, or not at all.
const (
	// EndGraceful sends SIGTERM, waits the Spec's Grace for the tree (not for the leader), then goes on as EndForce (S28).
	EndGraceful EndMode = "graceful"
	// EndForce kills at once (S29).
	EndForce EndMode = "force"
)

// Phase is where a tree stands. The table of its transitions is in package guard.
type Phase string

// The phases. PhaseDead is the only one that claims that nothing is left.
const (
	PhaseStarting Phase = "starting"
	PhaseRunning  Phase = "running"
	PhaseDetached Phase = "detached"
	PhaseEnding   Phase = "ending"
	PhaseDead     Phase = "dead"
)

// State is every frame from supervisor to client.
type State struct {
	Protocol int    `json:"protocol"`
	Build    string `json:"build"`
	// Answered is the highest Request.Ask this State is an answer to.
	Answered uint64 `json:"answered,omitempty"`
	// Refused says why the supervisor would not start anything; then no other field counts.
	Refused string `json:"refused,omitempty"`
	Phase   Phase  `json:"phase"`
	// StartedAt and Leader are zero before the leader runs.
	StartedAt Instant    `json:"started_at"`
	Leader    proc.Ident `json:"leader"`
	// Exited: the leader has ended; Exit holds how.
	Exited bool `json:"exited,omitempty"`
	Exit   Exit `json:"exit"`
	// Cause is why the tree ends or ended; empty while nothing ends it.
	Cause Cause         `json:"cause,omitempty"`
	Group contain.Group `json:"group"`
	Limit contain.Limit `json:"limit,omitempty"`
	// Procs counts the tree's processes, the supervisor not among them; filled only in an answer to Ask.
	Procs int `json:"procs,omitempty"`
	// Tree lists identities seen in the tree, for the client to end if the supervisor is lost; kept only where no cgroup holds them.
	Tree  []proc.Ident `json:"tree,omitempty"`
	Total int64        `json:"total"`
	// Record is set in PhaseDead, without its tail, which the client reads for itself.
	Record *Record `json:"record,omitempty"`
	// RecordError says that the exit record could not be made durable, and why.
	RecordError string `json:"record_error,omitempty"`
	// Trouble is the first thing that went wrong without stopping anything: output that could not be kept, a process that refused a signal.
	Trouble string `json:"trouble,omitempty"`
}
