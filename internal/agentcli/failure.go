package agentcli

import (
	"fmt"

	"mindroom/internal/canonical"
)

// failure is why a command has no document of the server to print.
type failure struct {
	exit int
	// text says what happened; it is printed as the document's error and on standard error.
	text string
	// hint says what to do next; code is the server's own name for what happened. Either may be empty.
	hint, code string
}

func (f *failure) Error() string { return f.text }

func invalid(format string, args ...any) *failure {
	return &failure{exit: ExitInvalid, text: fmt.Sprintf(format, args...)}
}

func unknown(format string, args ...any) *failure {
	return &failure{exit: ExitUnknown, text: fmt.Sprintf(format, args...)}
}

func (f *failure) because(hint string) *failure {
	f.hint = hint
	return f
}

// usageError is a command line that cannot be understood.
type usageError struct {
	text string
	// of is the command it was for, nil when that is what cannot be understood.
	of *spec
}

func (e *usageError) Error() string { return e.text }

func misused(of *spec, format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...), of: of}
}

// errorDocument is what is printed for a failure. callID may be empty. Text that is no UTF-8, which only arguments of the
// command line can bring, is repaired rather than refused.
func errorDocument(text, callID, code, hint string) []byte {
	members := map[string]any{"error": printable(text)}
	for name, value := range map[string]string{"call_id": callID, "code": code, "hint": hint} {
		if value != "" {
			members[name] = printable(value)
		}
	}
	doc, err := canonical.FromValue(members)
	if err != nil { // strings of valid UTF-8 always can be written
		return []byte(`{"error":"the error cannot be written as JSON"}`)
	}
	return doc.Canonical()
}
