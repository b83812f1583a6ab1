package script

import (
	"encoding/json"
	"time"

	"mindroom/internal/excerpt"
	"mindroom/internal/identity"
	"mindroom/internal/tool"
	"mindroom/internal/worker"
)

// Run is the durable record of one run. Limits and grants are those of the
// launch and never change (S06, S11).
type Run struct {
	ID           identity.RunID
	Who          identity.Execution
	Name         string
	SourceDigest string
	Grants       []tool.Name
	// Preapprove says that the launch had a list of allowed tools, so that its
	// unambiguous functions are eligible for unattended approval (S09, S10).
	Preapprove bool
	// Unambiguous are the granted functions that preapproval covers.
	Unambiguous []tool.Name
	// Depth is the self-trigger depth of the turn that launched it.
	Depth int
	// LaunchedBy is the call that launched it; zero when that is not known.
	LaunchedBy tool.Ref

	Key identity.WorkerKey
	// Isolation is what kept the agent's requesters apart at the launch; empty for
	// runs from before it was kept.
	Isolation string
	// Local is true for runs under the primary's own account (S56).
	Local  bool
	Handle *worker.Handle

	MaxCallsPerMinute int
	MaxRuntime        time.Duration
	// Notify are the Events that the run's conversation is told of.
	Notify []string
	// Speaker is the account that tells them, as it was at the launch: what a start
	// has to tell, it tells before any account is back. Empty for nobody.
	Speaker string

	State     State
	CreatedAt time.Time
	// StartedAt and FinishedAt are zero until then. FinishedAt may be set while
	// the state is not terminal yet: the end was seen, cleaning up is pending.
	StartedAt  time.Time
	FinishedAt time.Time
	ExitCode   *int
	ExitSignal string
	// Error is for a person; at most 64 KiB.
	Error string
	// CancelAt is zero until the run was revoked; Reason is the first reason.
	CancelAt time.Time
	Reason   Reason
	// Containment says what holds the process tree together.
	Containment string
}

// Revoked reports whether no call of the run may begin any more.
func (r *Run) Revoked() bool { return !r.CancelAt.IsZero() }

// Granted reports whether name is in the launch grant.
func (r *Run) Granted(name tool.Name) bool {
	for _, g := range r.Grants {
		if g == name {
			return true
		}
	}
	return false
}

// view is the run object of the control functions: exactly the fields of
// spec/scripts.md 1.8 and a few of ours, and nothing that leads to the
// capability (S31).
type view struct {
	ID        string            `json:"run_id"`
	Agent     string            `json:"agent_name"`
	Name      *string           `json:"name"`
	State     State             `json:"state"`
	Mode      string            `json:"execution_mode"`
	Local     bool              `json:"local_unsafe"`
	Profile   *string           `json:"resource_profile"`
	Requests  map[string]string `json:"resource_requests"`
	Limits    map[string]string `json:"resource_limits"`
	Created   string            `json:"created_at"`
	Started   *string           `json:"started_at"`
	Finished  *string           `json:"finished_at"`
	ExitCode  *int              `json:"exit_code"`
	Signal    string            `json:"exit_signal,omitempty"`
	Error     *string           `json:"error"`
	CancelAt  *string           `json:"cancel_requested_at"`
	Reason    *string           `json:"cancellation_reason"`
	Code      Reason            `json:"reason_code,omitempty"`
	Rate      int               `json:"max_tool_calls_per_minute"`
	Runtime   int64             `json:"max_runtime_seconds"`
	Grants    []tool.Name       `json:"grants"`
	Contained string            `json:"containment,omitempty"`
	Calls     *Standing         `json:"calls,omitempty"`
	Notice    string            `json:"notice,omitempty"`
}

// unsafeNotice is what a local launch tells (S20, S56).
const unsafeNotice = "local and unsafe: the script is trusted arbitrary code with the authority of python or shell; it runs under the " +
	"runtime's own account, inherits its environment, and no secret is isolated from it"

// View is the run as control functions show it. short cuts the error and leaves
// out the notice, for lists.
func (r *Run) View(short bool) json.Marshaler { return runView{r, short, nil} }

// ViewWith is the full view with how the run's calls stand.
func (r *Run) ViewWith(calls Standing) json.Marshaler { return runView{r, false, &calls} }

type runView struct {
	run   *Run
	short bool
	calls *Standing
}

// MarshalJSON writes the run object.
func (v runView) MarshalJSON() ([]byte, error) {
	r := v.run
	out := view{
		ID: string(r.ID), Agent: r.Who.Agent, Name: optional(r.Name), State: r.State, Mode: "worker", Local: r.Local,
		Requests: map[string]string{}, Limits: map[string]string{},
		Created: stamp(r.CreatedAt), Started: stampOrNil(r.StartedAt), Finished: stampOrNil(r.FinishedAt),
		ExitCode: r.ExitCode, Signal: r.ExitSignal, Error: optional(r.Error),
		CancelAt: stampOrNil(r.CancelAt), Code: r.Reason, Rate: r.MaxCallsPerMinute,
		Runtime: int64(r.MaxRuntime / time.Second), Grants: r.Grants, Contained: r.Containment, Calls: v.calls,
	}
	if r.Local {
		out.Mode = "unsafe_local"
		out.Notice = unsafeNotice
	}
	if r.Reason != "" {
		out.Reason = optional(r.Reason.Text())
	}
	if out.Grants == nil {
		out.Grants = []tool.Name{}
	}
	if v.short {
		out.Error = optional(excerpt.Head(r.Error, 300))
		out.Notice = ""
	}
	return json.Marshal(out)
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
