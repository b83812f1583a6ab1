package message

// TypeApproval is the event type of a card and its msgtype (spec/runtime.md
// 5.5.1).
const TypeApproval = "io.mindroom.tool_approval"

// FileKeys are the members by which the content of an event says where its file
// lies: a string for one that lies there as it is, an object with the key for an
// encrypted one. A card's file is the whole arguments.
func FileKeys(eventType string) (clear, sealed string) {
	if eventType == TypeApproval {
		return "full_arguments_url", "full_arguments_file"
	}
	return "url", "file"
}
