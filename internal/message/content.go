package message

import (
	"encoding/json"
	"fmt"
)

// Content is the content of one event, ready for json.Marshal.
type Content map[string]any

// Metadata keys in content, as the public runtime spells them.
const (
	KeyOriginalSender = "com.mindroom.original_sender" // requester to act for; trusted from our own accounts only
	KeySourceKind     = "com.mindroom.source_kind"     // a Source
	KeySkipMentions   = "com.mindroom.skip_mentions"   // true: never counts as speaking to anybody
	KeyDepth          = "com.mindroom.message_received_depth"
	KeyAttachments    = "com.mindroom.attachment_ids"
	KeyStreamStatus   = "io.mindroom.stream_status" // a Status
	KeyToolTrace      = "io.mindroom.tool_trace"    // a Trace
	KeyRun            = "io.mindroom.ai_run"
	KeyVisibleBody    = "io.mindroom.visible_body" // body without tool markers, used for history
	KeyDelivery       = "io.mindroom.delivery_id"
	// KeyProgram is ours: the program itself speaks, and no agent. The value is the
	// event id of the command it answers, "welcome", or "approval".
	KeyProgram = "io.mindroom.program"
	// KeyCut is ours: {"shown_bytes", "total_bytes"} of a body that was cut, and
	// "attachment", the name of the file with the whole, where there is one.
	KeyCut = "io.mindroom.cut"
	// KeyInteractive is on a message that asks a question with options (spec/runtime.md 3.15).
	KeyInteractive = "io.mindroom.interactive"
	// KeyLongText is on the event that carries the whole of a text that was cut (a
	// LongText; spec/runtime.md 3.12).
	KeyLongText = "io.mindroom.long_text"
)

// Source says where a message came from (values of KeySourceKind).
type Source string

const (
	SourceMessage      Source = "message"
	SourceVoice        Source = "voice"
	SourceScheduled    Source = "scheduled"
	SourceHook         Source = "hook"
	SourceHookDispatch Source = "hook_dispatch"
	SourceTrigger      Source = "external_trigger"
	SourceRelay        Source = "trusted_internal_relay"
	SourceFollowUp     Source = "active_thread_follow_up"
	SourceSelection    Source = "interactive_selection"
)

// Relays reports whether KeyOriginalSender may be believed under this source,
// provided that the sender is one of our own accounts.
func (s Source) Relays() bool {
	switch s {
	case SourceHookDispatch, SourceHook, SourceTrigger, SourceScheduled, SourceRelay, SourceVoice:
		return true
	}
	return false
}

// Status is the state of an answer that is being written (KeyStreamStatus).
type Status string

const (
	StatusPending     Status = "pending"
	StatusStreaming   Status = "streaming"
	StatusApproval    Status = "approval_pending"
	StatusCompleted   Status = "completed"
	StatusCancelled   Status = "cancelled"
	StatusInterrupted Status = "interrupted"
	StatusError       Status = "error"
)

// Terminal reports whether nothing more will be written to the message.
func (s Status) Terminal() bool {
	switch s {
	case StatusCompleted, StatusCancelled, StatusInterrupted, StatusError:
		return true
	}
	return false
}

// Size is the number of bytes of c as JSON: what counts against MaxContent.
func (c Content) Size() int {
	b, err := json.Marshal(c)
	if err != nil {
		// Content is made of strings, numbers and maps of them; a value that
		// has no JSON is a mistake in the program.
		panic(fmt.Sprintf("message: content without JSON: %v", err))
	}
	return len(b)
}

// Raw is c as JSON.
func (c Content) Raw() json.RawMessage {
	b, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("message: content without JSON: %v", err))
	}
	return b
}
