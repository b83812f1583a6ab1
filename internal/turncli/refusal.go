package turncli

import (
	"fmt"
	"net/http"

	"mindroom/internal/tool"
)

// Code is the stable identifier of a refusal of the turn CLI's routes; programs
// decide on it. A call that was planned and refused carries a tool.FaultKind in its
// place.
type Code string

// The refusals.
const (
	// CodeConflict: the call id belongs to another call (C08).
	CodeConflict Code = "call_conflict"
	// CodeNoWindow: the request names no command.
	CodeNoWindow Code = "no_window"
	// CodeWindowClosed: the command has returned and its calls have ended, or there
	// never was one (C19).
	CodeWindowClosed Code = "window_closed"
	// CodeFenced: a call asked for control, so nothing more begins (C20).
	CodeFenced Code = "fenced"
	// CodeTooLarge: the body is over 65,536 bytes.
	CodeTooLarge Code = "too_large"
	// CodeInvalid: the body is no request of this protocol.
	CodeInvalid Code = "invalid_request"
	// CodeCursor: the cursor is past the end or none of ours.
	CodeCursor Code = "bad_cursor"
	// CodeDocument: there is no such context document.
	CodeDocument Code = "unknown_document"
	// CodeReceipts: the response holds all receipts that it may (M27).
	CodeReceipts Code = "too_many_receipts"
	// CodeOperations: too many operations have no end yet (M27).
	CodeOperations Code = "too_many_operations"
	// CodeInternal: the runtime failed.
	CodeInternal Code = "internal"
)

// refusal is an answer that is no success.
type refusal struct {
	status int
	code   string
	detail string
	// hint says what to do next; empty when detail does.
	hint string
}

func refuse(status int, code Code, format string, args ...any) *refusal {
	return &refusal{status: status, code: string(code), detail: fmt.Sprintf(format, args...)}
}

func (r *refusal) hinting(hint string) *refusal {
	r.hint = hint
	return r
}

// ofFault is a refusal for a reason of the room's.
func ofFault(f *tool.Fault) *refusal {
	return &refusal{status: http.StatusUnprocessableEntity, code: string(f.Kind), detail: f.Message}
}

// errAuthority is the one answer to every grant that is not good, and to every
// receipt that is not the grant's (C15): always the same bytes.
var errAuthority = &refusal{status: http.StatusUnauthorized, detail: "Agent CLI authority is unavailable"}

var (
	errConflict = refuse(http.StatusConflict, CodeConflict, "this call id belongs to a call of another function or with other arguments").
			hinting("leave --call-id out to make a new call")
	errNoWindow = refuse(http.StatusConflict, CodeNoWindow, "the request names no shell command").
			hinting("use this release's mindroom-agent inside a shell command that has " + EnvWindow + " in its environment")
	errWindowClosed = refuse(http.StatusConflict, CodeWindowClosed, "the shell command that made this request has ended").
			hinting("make new calls from a command that is still running; calls wait and calls get still work")
	errTooLarge = refuse(http.StatusRequestEntityTooLarge, CodeTooLarge, "the request is over 65536 bytes").
			hinting("pass long content in a workspace file and name the file in the arguments")
	errReceipts   = refuse(http.StatusUnprocessableEntity, CodeReceipts, "this response holds its 1024 call receipts; it can make no more calls through mindroom-agent")
	errOperations = refuse(http.StatusUnprocessableEntity, CodeOperations, "64 operations of this response have not ended").
			hinting("wait for one of them with calls wait")
	errInternal = refuse(http.StatusInternalServerError, CodeInternal, "the request failed inside the runtime")
)
