package config

import "time"

// Defaults hold for every agent that does not say otherwise.
type Defaults struct {
	Tools               []ToolEntry
	EnableStreaming     bool
	ShowToolCalls       bool
	Streaming           Streaming
	MaxToolCallsPerTurn int // 0: no limit
	NumHistoryRuns      int // 0: everything that fits
	NumHistoryMessages  int // 0: everything that fits
	WorkerScope         Scope
	WorkerTools         WorkerTools
}

// Streaming says how often a growing answer is edited in its room.
type Streaming struct {
	UpdateInterval    time.Duration // steady state; default 5 s
	MinUpdateInterval time.Duration // at the beginning; default 0.5 s, never above UpdateInterval
	IntervalRamp      time.Duration // from the one to the other; default 15 s
	MaxIdle           time.Duration // text is never held back longer; default 2 s
}

var unheededDefaults = []string{
	"markdown", "coalescing", "show_stop_button", "auto_resume_after_restart", "learning", "learning_mode", "max_preload_chars",
	"tool_output_auto_save_threshold_bytes", "compaction", "compress_tool_results", "max_tool_calls_from_history",
	"worker_grantable_credentials", "allow_self_config", "thread_summary_model", "thread_summary_temperature",
	"thread_summary_first_threshold", "thread_summary_subsequent_interval", "background_jobs",
}

func (d *decoder) defaults(n *node) Defaults {
	s := d.section(n, "defaults")
	def := Defaults{
		EnableStreaming: s.boolean("enable_streaming", true),
		ShowToolCalls:   s.boolean("show_tool_calls", true),
		Streaming:       d.streaming(s.get("streaming")),
		WorkerScope:     s.scope("worker_scope"),
		WorkerTools:     s.workerTools("worker_tools"),
	}
	if v := s.get("tools"); v != nil {
		def.Tools = d.toolEntries(v, OriginDefaults)
	} else if fields, known := d.catalog.Fields("scheduler"); known {
		def.Tools = []ToolEntry{{Name: "scheduler", Settings: Settings{fields: fields}, Origin: OriginDefaults}}
	}
	if limit := s.optionalInt("max_tool_calls_per_turn", 1); limit != nil {
		def.MaxToolCallsPerTurn = *limit
	}
	def.NumHistoryRuns, def.NumHistoryMessages, _ = s.history()
	s.removed("sandbox_tools", "write worker_tools")
	s.unheeded(unheededDefaults...)
	s.done()
	return def
}

// history reads the two keys that exclude each other; given says whether either is set.
func (s *section) history() (runs, messages int, given bool) {
	r, m := s.optionalInt("num_history_runs", 1), s.optionalInt("num_history_messages", 1)
	switch {
	case r != nil && m != nil:
		v := s.get("num_history_messages")
		s.d.fail(v, "excludes num_history_runs; keep one of the two")
		return 0, 0, true
	case r != nil:
		return *r, 0, true
	case m != nil:
		return 0, *m, true
	}
	return 0, 0, false
}

func (d *decoder) streaming(n *node) Streaming {
	s := d.section(n, "defaults.streaming")
	const most = time.Hour
	st := Streaming{
		UpdateInterval:    s.seconds("update_interval", 5*time.Second, most),
		MinUpdateInterval: s.seconds("min_update_interval", 500*time.Millisecond, most),
		IntervalRamp:      s.seconds("interval_ramp_seconds", 15*time.Second, most),
		MaxIdle:           s.seconds("max_idle", 2*time.Second, most),
	}
	s.done()
	if st.MinUpdateInterval > st.UpdateInterval {
		if v := s.get("min_update_interval"); v != nil {
			d.fail(v, "must not be greater than update_interval (%v seconds)", st.UpdateInterval.Seconds())
		}
		st.MinUpdateInterval = st.UpdateInterval
	}
	return st
}
