package turn

// withdrawals say to people why the questions of a turn are over, by the reason
// of its end.
var withdrawals = map[Reason]string{
	ReasonCancelled:    "the response was stopped",
	ReasonAgentRemoved: "the agent was removed",
	ReasonNoAccess:     "the requester may not use the agent any more",
	ReasonRestart:      "the service was restarted",
	ReasonVersion:      "the service was restarted as another version",
}

// withdrawal is the clause for an end.
func (e ending) withdrawal() string {
	if why, ok := withdrawals[e.reason]; ok {
		return why
	}
	return "the response is over"
}
