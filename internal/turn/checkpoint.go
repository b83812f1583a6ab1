package turn

import (
	"encoding/json"
	"fmt"

	"mindroom/internal/media"
	"mindroom/internal/mode"
	"mindroom/internal/model"
	"mindroom/internal/tool"
)

// checkpointVersion rises when a reader of the old form would misunderstand the
// new one. A turn with a version this build does not know ends interrupted. It
// reads the forms from oldestVersion on: the second added minimal mode and commands
// that wait for their calls.
const (
	checkpointVersion = 2
	oldestVersion     = 1
)

// Phase says how far a turn had come when its checkpoint was written.
type Phase string

const (
	// phaseNew: nothing was sent to the model; the prompt is built again.
	phaseNew Phase = "new"
	// phaseAsk: Messages are what the model is asked next.
	phaseAsk Phase = "ask"
	// phaseBatch: the last of Messages made the calls in Calls.
	phaseBatch Phase = "batch"
	// phaseEnd: the turn is over.
	phaseEnd Phase = "end"
)

// Checkpoint is everything a turn needs to go on in another process.
type Checkpoint struct {
	Version int   `json:"version"`
	Phase   Phase `json:"phase"`
	// Mode is how the response reaches its tools; empty until it starts.
	Mode mode.Mode `json:"mode"`
	// Began is when the response began, as a stamp; empty until then.
	Began string `json:"began,omitempty"`
	// Selection is the choice that started the turn; nil for a message.
	Selection *selection `json:"selection,omitempty"`
	// Joined are the events of the files that are answered with the message, oldest
	// first; nil for none.
	Joined []string `json:"joined,omitempty"`
	// WithoutCLI says that a response in standard mode goes on without
	// mindroom-agent, because it waited for a person (M18).
	WithoutCLI bool `json:"without_cli,omitempty"`
	// Model is the model that was asked.
	Model modelRef `json:"model"`
	// Messages is the transcript without the system prompt.
	Messages []model.Message `json:"messages,omitempty"`
	// Calls are the calls of the open batch in the order the model made them.
	Calls []batchCall `json:"calls,omitempty"`
	// Rounds is how often the model was asked, Made how many calls it made.
	Rounds int `json:"rounds"`
	Made   int `json:"made"`
	// Repeats counts failures of identical calls.
	Repeats map[string]int `json:"repeats,omitempty"`
	Usage   model.Usage    `json:"usage"`
	// View is what the room sees of the answer.
	View view `json:"view"`
	// Streamed says that the answer began with a placeholder, which its end
	// replaces; without it the end is a message of its own.
	Streamed bool `json:"streamed"`
}

// modelRef names a model: as configured, its provider's kind, and its id there.
type modelRef struct {
	Config   string `json:"config"`
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

// batchCall is one call of a batch: as the model made it, and how it ended.
type batchCall struct {
	// Ref is the call's id within the turn.
	Ref  string     `json:"ref"`
	Call storedCall `json:"call"`
	// Result is nil until the call has ended.
	Result *storedResult `json:"result,omitempty"`
	// Control is what the call asked of its turn.
	Control tool.Control `json:"control,omitempty"`
	// Paused is a command that waits for calls it made; nil for none.
	Paused *paused `json:"paused,omitempty"`
}

type storedCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type storedResult struct {
	Text    string `json:"text"`
	IsError bool   `json:"is_error,omitempty"`
	// Media are the pictures and files the result holds.
	Media []media.Ref `json:"media,omitempty"`
}

// VersionError says that a checkpoint was written by a build this one cannot
// continue.
type VersionError struct{ Version int }

// Error names the version.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the checkpoint has version %d, this build reads version %d", e.Version, checkpointVersion)
}

func newCheckpoint() Checkpoint {
	return Checkpoint{Version: checkpointVersion, Phase: phaseNew}
}

func (c Checkpoint) encode() (string, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("write checkpoint: %w", err)
	}
	return string(raw), nil
}

// decodeCheckpoint reads a checkpoint. An unknown version, of it or of a
// message in it, is a *VersionError or a *model.UnknownVersionError. What comes
// with an error is empty but for Streamed, which every version writes alike, so
// that the placeholder can still be replaced.
func decodeCheckpoint(text string) (Checkpoint, error) {
	var head struct {
		Version  int  `json:"version"`
		Streamed bool `json:"streamed"`
	}
	if err := json.Unmarshal([]byte(text), &head); err != nil {
		return newCheckpoint(), fmt.Errorf("read checkpoint: %w", err)
	}
	empty := newCheckpoint()
	empty.Streamed = head.Streamed
	if head.Version < oldestVersion || head.Version > checkpointVersion {
		return empty, &VersionError{Version: head.Version}
	}
	var c Checkpoint
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return empty, fmt.Errorf("read checkpoint: %w", err)
	}
	c.Version = checkpointVersion
	return c, nil
}
