package tool

import (
	"strings"

	"mindroom/internal/canonical"
	"mindroom/internal/identity"
)

// Door names one of the ways a call comes in. It is a label for people, cards
// and the audit; no decision depends on which of them it is.
type Door string

// Known reports whether d is one of the doors: a call from anywhere else has no
// context in which it could be judged.
func (d Door) Known() bool { return d == DoorTurn || d == DoorCLI || d == DoorScript }

// The doors.
const (
	DoorTurn   Door = "turn"
	DoorCLI    Door = "cli"
	DoorScript Door = "script"
)

// Ref is the key of a call: of its receipt, its card, its audit record and its
// media. Owner is the turn or the run; ID is the caller's call id. A
// provider's id is never unique alone.
type Ref struct {
	Door  Door   `json:"door"`
	Owner string `json:"owner"`
	ID    string `json:"id"`
}

// String is the correlation id that logs and records carry.
func (r Ref) String() string { return string(r.Door) + ":" + r.Owner + ":" + r.ID }

// ParseRef takes the form of String apart; false when s is none of it. A call id
// may hold colons, a door and an owner may not.
func ParseRef(s string) (Ref, bool) {
	door, rest, _ := strings.Cut(s, ":")
	owner, id, ok := strings.Cut(rest, ":")
	r := Ref{Door: Door(door), Owner: owner, ID: id}
	if r.Door.Known() && ok && owner != "" && id != "" {
		return r, true
	}
	return Ref{}, false
}

// Name is a function's full name. The bare function name is only ever derived
// from it, for models that take no qualified names.
type Name struct {
	Toolkit  string `json:"toolkit_name"`
	Function string `json:"function_name"`
}

// String is the dotted form people and commands use.
func (n Name) String() string { return n.Toolkit + "." + n.Function }

// Call is one logical call, frozen: nothing after the door changes it.
type Call struct {
	Ref
	// Parent is the call inside which this one was made; nil at the top.
	Parent *Ref
	Name   Name
	// Args holds the arguments as they came and in canonical form.
	Args canonical.Doc
	// Who is the identity the door bound; nothing in a request can set it (S42).
	Who identity.Execution
	// Depth counts the self-triggers that led here; 0 for a person's message.
	Depth int
}
