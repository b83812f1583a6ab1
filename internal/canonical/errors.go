package canonical

import "fmt"

// Kind says why a text is not an acceptable document. The values are stable and may be stored.
type Kind string

// The kinds of refusal. Each is final for the same bytes: sending them again cannot help.
const (
	KindSyntax    Kind = "syntax"    // not JSON, or JSON cut short
	KindTrailing  Kind = "trailing"  // something follows the document
	KindDepth     Kind = "depth"     // nested deeper than Limits.Depth
	KindSize      Kind = "size"      // longer than Limits.Bytes
	KindNaN       Kind = "nan"       // NaN, Infinity or -Infinity, which are not JSON
	KindOverflow  Kind = "overflow"  // a number no double (or no Python integer) can hold
	KindUTF8      Kind = "utf8"      // the bytes are not UTF-8
	KindDuplicate Kind = "duplicate" // a key twice in one object, where Limits.Unique refuses that
	KindSurrogate Kind = "surrogate" // an escaped UTF-16 surrogate without its partner
)

// SyntaxError is the only error of Parse. Its text never quotes values of the document, which may be secret; it may name keys.
type SyntaxError struct {
	Offset int    // byte offset into the input at which reading stopped
	Path   string // where in the document, such as $.items[3]; "$" at the top or when unknown
	Kind   Kind
	Msg    string // what is wrong and what to send instead
}

// Error tells a person what is wrong and where.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at %s (byte %d): %s", e.Path, e.Offset, e.Msg)
}
