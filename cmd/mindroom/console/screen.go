package console

import "time"

// block is a message as a screen shows it: who and when, and the text.
type block struct {
	At     time.Time
	Sender string
	// Thread is the number of its thread; 0 outside any.
	Thread int
	// Here says that it belongs to where the person writes now.
	Here bool
	// Own says that this account sent it.
	Own bool
	// Mark follows the sender: edited, removed, writing; empty for none.
	Mark string
	Text string
}

// screen shows messages. Its methods are called by one goroutine.
type screen interface {
	// show adds finished messages and replaces those that are being written.
	show(done []block, live []block) error
	// note says something about the chat itself.
	note(text string) error
	// prompt says where typed lines go.
	prompt(where string)
}
