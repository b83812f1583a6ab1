package turn

import (
	"context"
	"errors"
	"fmt"

	"mindroom/internal/chat"
	"mindroom/internal/model"
	"mindroom/internal/prompt"
)

const (
	// historyEntries is how many messages are looked at; what fits is fewer.
	historyEntries = 500
	// unknownWindow stands in for a model whose window is not configured, in
	// tokens.
	unknownWindow = 32_000
)

// errNoTrigger: the message to answer is gone from the journal.
var errNoTrigger = errors.New("the message to answer is no longer there")

// system is the system prompt under the pinned configuration.
func (r *response) system() string {
	if r.minimal() {
		return r.minimalSystem()
	}
	return r.standardSystem()
}

// standardSystem is the system prompt of standard mode.
func (r *response) standardSystem() string {
	memory := r.remembered()
	facts := prompt.Facts{
		DisplayName: r.agent.DisplayName, UserID: r.e.userID(r.row.account), Role: r.agent.Role, Instructions: r.agent.Instructions,
		Provider: r.model.Kind, Model: r.model.ID, HasTools: len(r.surface.Tools()) > 0, Loadable: r.surface.Unloaded(), Asks: r.e.Questions != nil, CLI: r.owner != nil && !r.minimal(),
		Workspace: r.workspace(), Skills: r.readable(), AuthorsSkills: r.agent.AuthorsSkills(),
		Context: r.contextFiles(), ContextLimit: r.snap.Config.Defaults.MaxPreloadChars,
		Memory: memory.Text, MemoryMore: memory.More,
		Room: r.row.room, RoomName: r.e.roomName(r.row.room), Thread: r.row.threadRoot, Requester: r.row.who.Requester,
		Now: r.e.Wall.Now(), Zone: r.snap.Config.Location,
	}
	if r.child != nil {
		r.child.speak(&facts)
	}
	return prompt.System(facts)
}

func (r *response) workspace() string {
	if r.e.Room.Workspace == nil {
		return ""
	}
	return r.e.Room.Workspace(r.snap, r.row.who)
}

// limits are how much of the conversation goes into the prompt: half of the
// window at four characters a token, because tools, their results and the
// answer need the rest.
func (r *response) limits() prompt.Limits {
	window := r.model.Window
	if window == 0 {
		window = unknownWindow
	}
	entries := r.agent.NumHistoryMessages
	if runs := r.agent.NumHistoryRuns; runs > 0 {
		entries = 2 * runs // a question and its answer
	}
	return prompt.Limits{Characters: window * 4 / 2, Entries: entries}
}

// gather builds the prompt from what the room shows and from the agent's own
// turns, which know what the room may not have shown yet.
func (r *response) gather(ctx context.Context, limits prompt.Limits) ([]model.Message, error) {
	if r.child != nil {
		return r.child.conversation(r.cp.Messages, limits), nil
	}
	conversation := chat.Conversation{Account: r.row.account, Room: r.row.room, ThreadRoot: r.row.threadRoot}
	messages, err := r.e.History.History(ctx, conversation, historyEntries)
	if err != nil {
		return nil, fmt.Errorf("read the conversation of turn %s: %w", r.id, err)
	}
	answers, err := r.answers(ctx)
	if err != nil {
		return nil, err
	}
	if messages, err = r.elsewhere(ctx, messages, answers); err != nil {
		return nil, err
	}
	if messages, err = r.joined(ctx, messages, answers); err != nil {
		return nil, err
	}
	r.selected(messages, answers)
	messages, answers = r.session(messages, answers)
	whole, err := r.long(ctx, messages, limits.Characters)
	if err != nil {
		return nil, err
	}
	history, trigger := merge(messages, answers, whole, r.row, r.e.userID(r.row.account))
	if trigger == nil {
		return nil, fmt.Errorf("turn %s, event %s: %w", r.id, r.row.trigger, errNoTrigger)
	}
	files, err := r.files(ctx, messages, whole.files)
	if err != nil {
		return nil, err
	}
	trigger.Files = files[trigger.EventID]
	for i := range history {
		history[i].Files = files[history[i].EventID]
	}
	return prompt.Messages(r.withJoined(history, trigger), *trigger, limits), nil
}

func (e *Engine) roomName(room string) string {
	if e.RoomName == nil {
		return ""
	}
	return e.RoomName(room)
}

func (e *Engine) userID(account string) string {
	if e.UserID == nil {
		return account
	}
	return e.UserID(account)
}
