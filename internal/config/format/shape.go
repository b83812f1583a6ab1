package format

// Kind is the sort of value that may stand in a place.
type Kind string

// The kinds, with the Go type of a Key's Default.
const (
	Text   Kind = "text"   // string
	Bool   Kind = "bool"   // bool
	Int    Kind = "int"    // int
	Number Kind = "number" // float64, always finite
	List   Kind = "list"   // []string, where its items are text
	Map    Kind = "map"    // free keys; no default but the empty one
	Fixed  Kind = "fixed"  // a mapping with the keys of an Object; no default but that of its keys
	Free   Kind = "free"   // anything; no default
	Tools  Kind = "tools"  // a list of tool entries, each in one of three forms; no default
)

// Shape says what may stand in one place.
type Shape struct {
	Kind   Kind
	Words  []string // of a Text: the only ones allowed; nil: any
	Form   Form     // of a Text: how it must look, or what it must name; zero: any text
	Min    *float64 // of an Int or Number; nil: none
	Max    *float64
	Over   bool    // of a Number: Min itself is not allowed
	Keys   Form    // of a Map: how its keys must look
	Of     *Shape  // of a List: each item; of a Map: each value
	Set    bool    // of a List of Text: no item twice, none empty
	Object *Object // of a Fixed
	Also   string  // a word that may stand in the place of any value; empty: none
	Short  *Shape  // of a Fixed: what may stand in its place; nil: nothing
	Defer  bool    // of Tools: entries may have defer and initial
}

// Object is one mapping with fixed keys.
type Object struct {
	Name      string // as agents.*, for messages about all of its kind
	Doc       string // what it is, one sentence
	Keys      []Key
	Exclusive [][2]string // pairs of keys that may not stand together
	Any       []string    // at least one of these must stand; nil: no such rule
	Open      bool        // other keys are accepted and not looked at
}

// Key is one key of an Object.
type Key struct {
	Name     string
	Shape    Shape
	Required bool   // neither absence nor null is allowed
	Default  any    // what absence and null mean; nil: nothing, or what Doc says
	Idle     string // not empty: the key is checked but has no effect, and this is said about it
	Removed  string // not empty: the key is refused, and this is said to do instead; Shape counts for nothing
	Doc      string // for people, one sentence
}

// NotYet is said about keys of the format that this version does nothing with.
const NotYet = "not supported yet: has no effect"

// Find returns the key called name, a removed one too; nil when there is none.
func (o *Object) Find(name string) *Key {
	for i := range o.Keys {
		if k := &o.Keys[i]; k.Name == name {
			return k
		}
	}
	return nil
}

// Names lists the keys that may be written, in the order of the table.
func (o *Object) Names() []string {
	var names []string
	for _, k := range o.Keys {
		if k.Removed == "" {
			names = append(names, k.Name)
		}
	}
	return names
}
