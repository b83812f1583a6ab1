package config

import "time"

// Defaults hold for every agent that does not say otherwise.
type Defaults struct {
	Tools               []ToolEntry
	EnableStreaming     bool
	ShowToolCalls       bool
	ShowStopButton      bool // a reaction under a growing answer ends it
	Streaming           Streaming
	MaxToolCallsPerTurn int // 0: no limit
	MaxSelfTriggers     int // self-triggers in a row; at least 1, default 8
	// Debounce is how long a file without a word waits for the next message of its
	// sender; default 1 s, 0: it does not wait.
	Debounce           time.Duration
	NumHistoryRuns     int  // 0: everything that fits
	NumHistoryMessages int  // 0: everything that fits
	MaxPreloadChars    int  // characters of context files in a prompt, all together; at least 1, default 50000
	BackgroundJobs     bool // subagents may go on after the response that started them
	WorkerScope        Scope
	WorkerTools        WorkerTools
}

// Streaming says how often a growing answer is edited in its room.
type Streaming struct {
	UpdateInterval    time.Duration // steady state; default 5 s
	MinUpdateInterval time.Duration // at the beginning; default 0.5 s, never above UpdateInterval
	IntervalRamp      time.Duration // from the one to the other; default 15 s
	MaxIdle           time.Duration // text is never held back longer; default 2 s
}

func (d *decoder) defaults(s *section) Defaults {
	def := Defaults{
		EnableStreaming:     s.boolean("enable_streaming"),
		ShowToolCalls:       s.boolean("show_tool_calls"),
		ShowStopButton:      s.boolean("show_stop_button"),
		Streaming:           d.streaming(s.sub("streaming")),
		MaxToolCallsPerTurn: s.count("max_tool_calls_per_turn"),
		MaxSelfTriggers:     s.count("max_self_triggers"),
		Debounce:            time.Duration(s.sub("coalescing").count("debounce_ms")) * time.Millisecond,
		NumHistoryRuns:      s.count("num_history_runs"),
		NumHistoryMessages:  s.count("num_history_messages"),
		MaxPreloadChars:     s.count("max_preload_chars"),
		BackgroundJobs:      s.boolean("background_jobs"),
		WorkerScope:         Scope(s.text("worker_scope")),
		WorkerTools:         s.workerTools(),
	}
	if v := s.get("tools"); v != nil {
		def.Tools = d.toolEntries(v, OriginDefaults)
	} else if fields, known := d.catalog.Fields("scheduler"); known {
		def.Tools = []ToolEntry{{Name: "scheduler", Settings: Settings{fields: fields}, Origin: OriginDefaults}}
	}
	return def
}

func (d *decoder) streaming(s *section) Streaming {
	st := Streaming{
		UpdateInterval:    s.span("update_interval", time.Second),
		MinUpdateInterval: s.span("min_update_interval", time.Second),
		IntervalRamp:      s.span("interval_ramp_seconds", time.Second),
		MaxIdle:           s.span("max_idle", time.Second),
	}
	if st.MinUpdateInterval > st.UpdateInterval {
		if v := s.get("min_update_interval"); v != nil {
			d.fail(v, "must not be greater than update_interval (%v seconds)", st.UpdateInterval.Seconds())
		}
		st.MinUpdateInterval = st.UpdateInterval
	}
	return st
}
