package interactive

// State is how a question stands; see the table in doc.go.
type State string

// The states of a question.
const (
	Open     State = "open"
	Answered State = "answered"
	Closed   State = "closed"
	Expired  State = "expired"
)

// allowed is the table of doc.go.
var allowed = map[State]map[State]bool{Open: {Answered: true, Closed: true, Expired: true}}

// Over reports whether nothing follows: no choice counts any more.
func (s State) Over() bool { return len(allowed[s]) == 0 }
