package explain

import (
	"time"

	"mindroom/internal/script"
	"mindroom/internal/tool"
)

// Report is the explanation of one id. Its first link is what was asked for,
// each later one caused the one before it.
type Report struct {
	Chain []Link `json:"chain"`
	// End says why the chain does not go back any further.
	End string `json:"end"`
	// Calls are the newest calls of the run or turn that was asked for, newest
	// first; empty for a call.
	Calls []Brief `json:"calls"`
}

// Kind is what a link is about.
type Kind string

// The kinds of links. A link has exactly the part that its kind names.
const (
	KindCall    Kind = "call"
	KindRun     Kind = "run"
	KindTurn    Kind = "turn"
	KindMessage Kind = "message"
)

// Link is one step of a chain.
type Link struct {
	Kind    Kind     `json:"kind"`
	Call    *Call    `json:"call"`
	Run     *Run     `json:"run"`
	Turn    *Turn    `json:"turn"`
	Message *Message `json:"message"`
}

// Call is one call of a run or a turn. What was not recorded is empty or null.
type Call struct {
	tool.Ref
	tool.Name
	Agent     string `json:"agent_name"`
	Requester string `json:"requester_id"`
	Room      string `json:"room_id"`
	Thread    string `json:"thread_id"`
	Digest    string `json:"arguments_digest"`
	// Arguments is a redacted preview.
	Arguments string `json:"arguments"`

	Grant Grant `json:"grant"`
	// Verdict is the policy's last word, and Rule what it was decided by.
	Verdict tool.VerdictKind `json:"verdict"`
	Rule    string           `json:"rule"`
	Hooks   Hooks            `json:"hooks"`
	// HooksSaid is the sentence of the hook that declined.
	HooksSaid string `json:"hooks_said"`

	// Began says that the body may have run; Where is where, empty otherwise.
	Began   bool       `json:"began"`
	Where   Where      `json:"ran_in"`
	Receipt Receipt    `json:"receipt"`
	Created *time.Time `json:"created_at"`
	Ended   *time.Time `json:"ended_at"`
	// Recorded says that the audit has the call. It has none of a call that is
	// pending, or whose end the recovery of a later start wrote.
	Recorded bool `json:"audit_recorded"`
}

// Grant is what a call's door granted.
type Grant struct {
	// By says what granted the function: the launch of the run, or the agent's
	// own surface.
	By GrantedBy `json:"by"`
	// Captured says that the launch grant has the function, Preapproved that it
	// may run unattended (S09-S11); null without a launch.
	Captured    *bool `json:"captured"`
	Preapproved *bool `json:"preapproved"`
	// Offered says that the agent still has the function under the present
	// configuration; null when that cannot be told.
	Offered *bool `json:"still_offered"`
}

// GrantedBy is what granted a call.
type GrantedBy string

// What grants calls. Empty when the run is not known any more.
const (
	ByLaunch  GrantedBy = "launch"
	BySurface GrantedBy = "surface"
)

// Hooks is what the before hooks said of a call.
type Hooks string

// What hooks said. Only the two ends are recorded: a call that began was let
// pass, and one that was declined says so.
const (
	HooksPassed   Hooks = "passed"
	HooksDeclined Hooks = "declined"
	HooksUnknown  Hooks = ""
)

// Where is where a body ran.
type Where string

// InWorker is the worker of the call's agent and requester.
const InWorker Where = "worker"

// InRuntime is the process of the runtime: the only place there is while
// tool.Local is the only router.
const InRuntime Where = "runtime"

// Receipt is how a call stands.
type Receipt struct {
	State   tool.State     `json:"state"`
	Fault   tool.FaultKind `json:"error_kind"`
	Message string         `json:"error_message"`
	// Bytes is the size of the result and Result its redacted beginning; kept
	// for calls of scripts only.
	Bytes  int    `json:"result_bytes"`
	Result string `json:"result"`
}

// Run is one background run.
type Run struct {
	ID        string `json:"run_id"`
	Name      string `json:"name"`
	Agent     string `json:"agent_name"`
	Requester string `json:"requester_id"`
	Room      string `json:"room_id"`
	Thread    string `json:"thread_id"`
	Source    string `json:"source_digest"`
	// Granted are the functions of the launch grant.
	Granted []Granted `json:"grants"`
	// Local, Key and Containment say where it ran and what held it together.
	Local       bool         `json:"local_unsafe"`
	Key         string       `json:"worker_key"`
	Containment string       `json:"containment"`
	State       script.State `json:"state"`
	// Reason is why it was ended, Error what it or the runtime said.
	Reason   script.Reason     `json:"reason_code"`
	ExitCode *int              `json:"exit_code"`
	Signal   string            `json:"exit_signal"`
	Error    string            `json:"error"`
	Created  *time.Time        `json:"created_at"`
	Started  *time.Time        `json:"started_at"`
	Cancel   *time.Time        `json:"cancel_requested_at"`
	Finished *time.Time        `json:"finished_at"`
	Counts   script.CallCounts `json:"calls"`
	// LaunchedBy is the call that launched it; null when that is not recorded.
	LaunchedBy *tool.Ref `json:"launched_by"`
	// Gone says that retention deleted the run and only the audit of its calls
	// is left; then nothing above but ID is known.
	Gone bool `json:"gone"`
}

// Granted is one function of a launch grant.
type Granted struct {
	tool.Name
	Preapproved bool  `json:"preapproved"`
	Offered     *bool `json:"still_offered"`
}

// Turn is one answer to one message, or one turn of a subagent.
type Turn struct {
	ID        string `json:"turn_id"`
	Agent     string `json:"agent_name"`
	Requester string `json:"requester_id"`
	Room      string `json:"room_id"`
	Thread    string `json:"thread_id"`
	State     string `json:"state"`
	Reason    string `json:"reason"`
	Cancelled string `json:"cancelled_by"`
	Depth     int    `json:"depth"`
	Trigger   string `json:"trigger_event"`
	// Subagent is whose turn it is and CalledBy the call that asked for it; such a turn
	// answers no message.
	Subagent string     `json:"subagent_id"`
	CalledBy *tool.Ref  `json:"called_by"`
	Created  *time.Time `json:"created_at"`
	Changed  *time.Time `json:"changed_at"`
	// Gone says that retention deleted the turn and only the audit of its calls
	// is left; then nothing above but ID is known.
	Gone bool `json:"gone"`
}

// Message is what a turn answers.
type Message struct {
	EventID string `json:"event_id"`
	Room    string `json:"room_id"`
	Sender  string `json:"sender"`
	// Sent is the instant of the sender's server.
	Sent *time.Time `json:"sent_at"`
	// Words are its first ones, redacted; empty when it was withdrawn.
	Words     string `json:"words"`
	Withdrawn bool   `json:"withdrawn"`
	// SentBy is the call of ours that sent it; null for what others wrote.
	SentBy *tool.Ref `json:"sent_by"`
}

// Brief is a call in a list.
type Brief struct {
	ID string `json:"call_id"`
	tool.Name
	State tool.State     `json:"state"`
	Fault tool.FaultKind `json:"error_kind"`
	// Rule is empty where only the receipt was looked at.
	Rule string     `json:"rule"`
	At   *time.Time `json:"at"`
}
