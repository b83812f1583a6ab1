package config

// Catalog is what config asks about toolkits; the tool registry implements it. Both methods must always give the same answer
// while a file is being loaded.
type Catalog interface {
	// Names lists every toolkit an agent may name.
	Names() []string
	// Fields lists what an agent may set inline for a toolkit; false when there is no such toolkit. Secrets and anything the
	// runtime supplies itself (a base directory) are left out of the list, and so cannot be set.
	Fields(toolkit string) ([]Field, bool)
}

// FieldKind says what a field holds and which accessor of Settings reads it.
type FieldKind string

// The kinds of fields, and the Go type of their values and defaults.
const (
	KindBool    FieldKind = "bool"    // bool
	KindInt     FieldKind = "int"     // int64
	KindNumber  FieldKind = "number"  // float64, always finite
	KindString  FieldKind = "string"  // string
	KindStrings FieldKind = "strings" // []string
)

// Field declares one inline setting of a toolkit (S01). A toolkit may not declare include_tools, exclude_tools, defer, initial:
// every toolkit has these.
type Field struct {
	Name    string
	Kind    FieldKind
	Default any                   // of the kind's Go type; nil is the kind's zero value
	Min     *float64              // least value of an int or a number; nil: none
	Max     *float64              // greatest value of an int or a number; nil: none
	Doc     string                // one sentence, shown to people
	Check   func(value any) error // nil: no further rule; its error becomes the message, at the value's place
}

// Bound makes a limit for Field.Min and Field.Max.
func Bound(limit float64) *float64 { return &limit }
