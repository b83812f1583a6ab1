package main

// Sample is the primary in a settled state.
type Sample struct {
	// At is in seconds since the load began.
	At float64 `json:"at"`
	// Calls is how many bodies began so far, Runs how many runs are not terminal.
	Calls int64 `json:"calls"`
	Runs  int   `json:"runs"`

	Goroutines  int `json:"goroutines"`
	Descriptors int `json:"descriptors"`
	// Processes are the primary's descendants, Zombies those that nobody has
	// waited for.
	Processes int `json:"processes"`
	Zombies   int `json:"zombies"`
	// Memory is anonymous and resident, Runtime what the Go runtime has of the
	// system, Heap what lives on the heap, in MiB.
	Memory  float64 `json:"memory_mib"`
	Runtime float64 `json:"runtime_mib"`
	Heap    float64 `json:"heap_mib"`
	// Database and WAL are the sizes of the files, in KiB.
	Database float64 `json:"database_kib"`
	WAL      float64 `json:"wal_kib"`
	// Files are all files in the run folders, Capabilities those of them that
	// hold a capability.
	Files        int `json:"files"`
	Capabilities int `json:"capabilities"`
}

// Ended is what a primary says of its own end.
type Ended struct {
	// Stop is how long the orderly stop took, in seconds.
	Stop float64 `json:"stop_seconds"`
	// Before and After are the process before anything was opened and after
	// everything was closed.
	GoroutinesBefore  int `json:"goroutines_before"`
	GoroutinesAfter   int `json:"goroutines_after"`
	DescriptorsBefore int `json:"descriptors_before"`
	DescriptorsAfter  int `json:"descriptors_after"`

	Calls     int64 `json:"calls"`
	Launched  int64 `json:"launched"`
	Cancelled int64 `json:"cancelled"`
	// Checked are the calls of short runs, whose receipts were looked at before
	// they were pruned.
	Checked int64 `json:"checked"`
}

// line is one message of the primary to the judge; one field is set.
type line struct {
	Settled *Sample `json:"settled,omitempty"`
	Ended   *Ended  `json:"ended,omitempty"`
	// Progress is for people, Wrong is a violation seen inside.
	Progress string `json:"progress,omitempty"`
	Wrong    string `json:"wrong,omitempty"`
}

// ran is one of the long runs, as the primary leaves it to the judge.
type ran struct {
	ID     string `json:"id"`
	Script string `json:"script"`
	// Marks counts the effects of each call by its number.
	Marks []byte `json:"marks"`
}

// ledgerFile is the file of a phase's folder with its runs.
const ledgerFile = "ledger.json"
