package script

import (
	"context"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// endings say to people why the questions of a run are over.
var endings = map[Reason]string{
	ReasonOwnerCancel:   "the script was cancelled",
	ReasonOperator:      "an operator ended the script",
	ReasonMaxRuntime:    "the script reached its time",
	ReasonProcessExit:   "the script ended",
	ReasonRestart:       "the service was restarted",
	ReasonShutdown:      "the service was stopped",
	ReasonAuthorisation: "the requester may not use the agent any more",
	ReasonAgentRemoved:  "the agent was removed",
	ReasonToolRemoved:   "the agent lost its script tool",
	ReasonIsolation:     "what keeps the people of the agent apart was changed",
	ReasonSupervisor:    "the script was lost",
	ReasonContract:      "the script could not be taken over",
}

// withdraw ends a run's questions in the transaction that ends its calls: a card
// never outlives what it could allow (S19).
func (m *Manager) withdraw(tx *store.Tx, run identity.RunID, reason Reason) error {
	if m.cfg.Cards == nil {
		return nil
	}
	why, ok := endings[reason]
	if !ok {
		why = "the script is over"
	}
	_, err := m.cfg.Cards.Withdraw(tx, tool.DoorScript, string(run), why)
	return err
}

// forgetQuestions deletes what was asked for a run that is no longer kept.
func (m *Manager) forgetQuestions(tx *store.Tx, run identity.RunID) error {
	if m.cfg.Cards == nil {
		return nil
	}
	return approval.Forget(tx, tool.DoorScript, string(run))
}

// Question is a call of a run that waits for a person.
type Question struct {
	Call     string    `json:"call_id"`
	Function string    `json:"function"`
	Since    time.Time `json:"since"`
	Expires  time.Time `json:"expires_at"`
}

// Standing is how a run's calls stand, with those that wait for a person.
type Standing struct {
	CallCounts
	// Waiting are pending calls, oldest first; what the run calls meanwhile waits
	// behind them (S61).
	Waiting []Question `json:"waiting_for_approval,omitempty"`
}

// Standing is how the calls of a run stand now.
func (m *Manager) Standing(ctx context.Context, run identity.RunID) (s Standing, err error) {
	err = m.cfg.DB.Read(ctx, func(q *store.Reader) (err error) {
		if s.CallCounts, err = countCalls(q, run); err == nil && s.Pending > 0 {
			s.Waiting, err = questions(q, run)
		}
		return err
	})
	return s, err
}

// questions are what a run's requester is asked now, oldest first.
func questions(q store.Queryer, run identity.RunID) ([]Question, error) {
	cards, err := approval.Waiting(q, tool.DoorScript, string(run))
	var all []Question
	for _, c := range cards {
		all = append(all, Question{Call: c.Ref.ID, Function: c.Name.String(), Since: c.Requested, Expires: c.Expires})
	}
	return all, err
}
