package config

import "time"

// Retention is how long what is over is kept. That of runs is in Scripts.
type Retention struct {
	// Conversations is for messages heard and said, and for turns.
	// MINDROOM_CONVERSATION_RETENTION_SECONDS; default 90 days; always positive.
	Conversations time.Duration
	// Audit is for the records of calls. MINDROOM_AUDIT_RETENTION_SECONDS; default
	// 365 days; always positive.
	Audit time.Duration
	// Files is for files that came, were returned or were sent.
	// MINDROOM_MEDIA_RETENTION_SECONDS; default 30 days; always positive.
	Files time.Duration
}

func (v *variables) retention() Retention {
	return Retention{
		Conversations: v.seconds("MINDROOM_CONVERSATION_RETENTION_SECONDS", 90*day, false),
		Audit:         v.seconds("MINDROOM_AUDIT_RETENTION_SECONDS", 365*day, false),
		Files:         v.seconds("MINDROOM_MEDIA_RETENTION_SECONDS", 30*day, false),
	}
}
