package script

import (
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/approval"
	"mindroom/internal/chat"
	"mindroom/internal/excerpt"
	"mindroom/internal/identity"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// Waiting is the event of a run that waits for a person, beside the four
// terminal states.
const Waiting = "waiting"

// Events are what a conversation may be told of its runs, in the order of a
// run's life.
var Events = []string{Waiting, string(Exited), string(Failed), string(Cancelled), string(Interrupted)}

// Outbox takes what is to be sent, in the caller's transaction; *chat.Outbox.
type Outbox interface {
	Enqueue(tx *store.Tx, d chat.Delivery) (fresh bool, err error)
}

var _ Outbox = (*chat.Outbox)(nil)

// tellEnd tells a run's conversation how it ended, in the transaction that makes
// it so, if its launch asked for that. Of a launch that failed the agent has
// heard, which says so itself.
func (m *Manager) tellEnd(tx *store.Tx, id identity.RunID) error {
	r, err := getRun(tx, id)
	if err != nil || !r.State.Terminal() || r.Reason == ReasonLaunchFailed {
		return err
	}
	output := ""
	if err := tx.QueryRow(`SELECT coalesce(max(output), '') FROM script_outputs WHERE run_id = $1`, string(id)).Scan(&output); err != nil {
		return wrap(id, err)
	}
	return m.tell(tx, r, string(r.State), string(r.State), ending(r, lastLine(output)))
}

// Waits tells a run's conversation that a call of it waits for a person, in the
// transaction that puts the question, if its launch asked for that.
func (m *Manager) Waits(tx *store.Tx, card approval.Card) error {
	r, err := getRun(tx, identity.RunID(card.Ref.Owner))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("⏸️ Script %s waits for a decision of %s: may it call `%s`? Until then it stands still.", called(r), r.Who.Requester, card.Name.Function)
	return m.tell(tx, r, Waiting, Waiting+":"+card.Ref.ID, text)
}

// tell says text in the run's conversation, once for each event. It wakes no
// agent and is no part of what a model reads.
func (m *Manager) tell(tx *store.Tx, r *Run, event, id, text string) error {
	if m.cfg.Outbox == nil || r.Speaker == "" || !slices.Contains(r.Notify, event) {
		return nil
	}
	_, err := m.cfg.Outbox.Enqueue(tx, chat.Delivery{
		ID:           "script:" + string(r.ID) + ":" + id,
		Conversation: chat.Conversation{Account: r.Speaker, Room: r.Who.Room, ThreadRoot: r.Who.ResolvedThread},
		Kind:         chat.KindMessage, Type: "m.room.message",
		Content: message.Text(text, message.Notice(), message.With(message.KeySkipMentions, true), message.With(message.KeyProgram, string(r.ID))).Raw(),
	})
	if err != nil {
		return fmt.Errorf("tell of run %s: %w", r.ID, err)
	}
	return nil
}

// ending says how a run ended and what to do about it. line is the last that it
// wrote.
func ending(r *Run, line string) string {
	what := map[State]string{Exited: "✅ Script %s ended.", Failed: "❌ Script %s failed", Cancelled: "🛑 Script %s was cancelled", Interrupted: "⚠️ Script %s was interrupted"}[r.State]
	var b strings.Builder
	fmt.Fprintf(&b, what, called(r))
	switch {
	case r.State == Failed && r.Error != "":
		fmt.Fprintf(&b, ": %s", excerpt.Head(r.Error, 500))
	case r.State != Exited:
		fmt.Fprintf(&b, ": %s.", r.Reason.Text())
	}
	if line != "" && !strings.Contains(r.Error, line) {
		fmt.Fprintf(&b, "\n\nIts last line: `%s`", strings.ReplaceAll(line, "`", "'"))
	}
	if do := remedies[r.Reason]; do != "" && r.State != Exited {
		b.WriteString("\n\n" + do)
	}
	return b.String()
}

// called is how people know a run: its label, if it has one, and its id.
func called(r *Run) string {
	if r.Name == "" {
		return "`" + string(r.ID) + "`"
	}
	return fmt.Sprintf("“%s” (`%s`)", r.Name, r.ID)
}

// remedies are what a person can do after an end of each kind.
var remedies = map[Reason]string{
	ReasonProcessExit:   "Ask the agent what the script wrote, or to start it again.",
	ReasonAmbiguous:     "Ask the agent to start it again if it is still needed.",
	ReasonMaxRuntime:    "Ask the agent to start it again if it is still needed; max_runtime_hours bounds each run.",
	ReasonShutdown:      "Ask the agent to start it again if it is still needed.",
	ReasonRestart:       "Ask the agent to start it again if it is still needed.",
	ReasonAuthorisation: "Whoever administers this installation can give the access back.",
	ReasonAgentRemoved:  "Whoever administers this installation can say what takes its place.",
	ReasonToolRemoved:   "Whoever administers this installation can say what takes its place.",
	ReasonIsolation:     "Ask the agent to start it again; its workspace may be another one now.",
	ReasonSupervisor:    "Ask the agent to start it again if it is still needed.",
	ReasonContract:      "Ask the agent to start it again if it is still needed.",
}
