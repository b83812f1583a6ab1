package chat

// Conversation is where something is said and by which of our accounts it is
// seen: a room, or a thread in it.
type Conversation struct {
	Account    string // Matrix user id of the account that hears and speaks
	Room       string // room id
	ThreadRoot string // event id of the thread's first event; "" is the room itself
}

// InThread reports whether the conversation is a thread.
func (c Conversation) InThread() bool { return c.ThreadRoot != "" }
