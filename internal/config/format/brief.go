package format

import "math"

// The shapes below keep the tables readable: a row says Shape: atLeast(1) and not eight fields.

var (
	anyText = Shape{Kind: Text}
	filled  = Shape{Kind: Text, Form: Filled}
	boolean = Shape{Kind: Bool}
	texts   = Shape{Kind: List, Of: &anyText}
	free    = Shape{Kind: Free}
	// seconds are those of a pause that a person can wait for.
	seconds = Shape{Kind: Number, Min: bound(0), Over: true, Max: bound(3600)}
	// duration is any time in seconds.
	duration = Shape{Kind: Number, Min: bound(0)}
)

func bound(limit float64) *float64 { return &limit }

func words(allowed ...string) Shape { return Shape{Kind: Text, Words: allowed} }

func form(f Form) Shape { return Shape{Kind: Text, Form: f} }

// set is a list of texts of one form.
func set(f Form) Shape {
	item := form(f)
	return Shape{Kind: List, Of: &item, Set: true}
}

// atLeast is a count. It ends where an int may, on any machine.
func atLeast(least float64) Shape {
	return Shape{Kind: Int, Min: bound(least), Max: bound(math.MaxInt32)}
}

func mapping(keys Form, values Shape) Shape { return Shape{Kind: Map, Keys: keys, Of: &values} }

func fixed(o *Object) Shape { return Shape{Kind: Fixed, Object: o} }

func listOf(item Shape) Shape { return Shape{Kind: List, Of: &item} }

// idle marks keys of the format that this version does nothing with.
func idle(keys ...Key) []Key {
	for i := range keys {
		keys[i].Idle = NotYet
	}
	return keys
}
