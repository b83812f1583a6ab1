package wirekit

// Fault is one way in which a request to a FakeGateway can go wrong. A request takes at most one.
type Fault int

// The faults a FakeGateway can be told to commit.
const (
	NoFault      Fault = iota
	DropBefore         // the connection closes before anything is accepted
	DropAfter          // the request takes effect, then the connection closes without an answer
	Truncate           // the request takes effect, the answer breaks off half way
	Unavailable        // 503 with Retry-After: 0
	TooMany            // 429 with Retry-After: 0
	ServerError        // 500
	Redirect           // 307 to another host
	WrongDigest        // a receipt whose digest belongs to other arguments
	UnknownState       // a receipt in a state that no longer exists
	NotJSON            // 200 with a page of HTML
)
