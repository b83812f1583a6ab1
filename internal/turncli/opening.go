package turncli

import (
	"time"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Opening is the response an Owner is opened for.
type Opening struct {
	// Turn is the response's turn id: the owner of its calls' references.
	Turn string
	// Who is whom every call is bound to (C24); Depth as in tool.Call.
	Who   identity.Execution
	Depth int
	// Began is when the response began: the grant ends 24 hours later at the latest
	// (M35). A response that is resumed after its grant has ended gets a new one.
	Began time.Time
	// Snapshot and Surface are what the response works with; a call is judged by
	// the newest.
	Snapshot *config.Snapshot
	Surface  *tool.Surface
	// Offers restricts the surface further; nil offers all of it.
	Offers func(tool.Name) bool
	// Holds keeps calls that wait for a person. nil: the response cannot wait, and
	// functions that might ask are not offered (M12, M17).
	Holds Holds
	// Native keeps back the functions the model has among its own and must call
	// itself (tool.Function.Native): standard mode (M17).
	Native bool
	// Documents are what context list and read give (C11).
	Documents []Document
	// Calls is how many calls may begin; 0 is no limit (M26).
	Calls int
	// EndAtTimeout is tool.Terms.EndAtTimeout of shells that are called through it.
	EndAtTimeout bool
	// Observe hears of every call of the response, for its traces (M20); nil hears
	// nothing. It must not block.
	Observe func(Seen)
}

// Document is a text that an agent reads in pages.
type Document struct {
	// Name is what context read takes: letters, digits, "-", at most 128.
	Name string
	Text string
}

// Seen is one event of a call.
type Seen struct {
	Call  tool.Call
	Event tool.Event
	// Outcome is the end; zero before tool.EventEnded.
	Outcome tool.Outcome
}

// Holds keeps what a waiting call needs to be made after its process has gone
// (M28, C22). Its writes belong to the caller's transaction.
type Holds interface {
	// Hold records a call with the question that is put in the same transaction.
	Hold(tx *store.Tx, c tool.Call) error
	// Begin records that the call was decided and is about to run: from now on it
	// is never run again. An error means that it must not begin.
	Begin(tx *store.Tx, ref tool.Ref) error
	// End forgets the call: it has its outcome, or never ran. Unknown refs are
	// ignored.
	End(tx *store.Tx, ref tool.Ref) error
}
