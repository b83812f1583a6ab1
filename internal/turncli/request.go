package turncli

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mindroom/internal/canonical"
)

// The operations of a POST. tools.check is an extension of the public protocol.
const (
	opList     = "tools.list"
	opSearch   = "tools.search"
	opDescribe = "tools.describe"
	opCall     = "tools.call"
	opCheck    = "tools.check"
	opContext  = "context.list"
	opRead     = "context.read"
)

// operation is a request of the turn CLI. Fields that its kind does not have are
// zero.
type operation struct {
	kind          string
	cursor, query string
	toolkit       string
	document      string
	limit, offset int
	submission
}

const (
	maxName   = 128
	maxCursor = 1024
	maxQuery  = 1024
)

// members are the fields of each operation; those with a mark are required.
var members = map[string][]string{
	opList:     {"cursor", "limit"},
	opSearch:   {"query!", "toolkit", "limit"},
	opDescribe: {"toolkit!", "function!"},
	opCall:     {"call_id!", "toolkit!", "function!", "arguments"},
	opCheck:    {"toolkit!", "function!", "arguments"},
	opContext:  {"cursor", "limit"},
	opRead:     {"name!", "offset", "limit"},
}

// parseOperation takes a body apart: strict JSON without repeated keys, exactly the
// members of its operation, no value coerced into another type. No member can name
// a requester, an agent or a conversation (C24).
func parseOperation(raw []byte) (operation, *refusal) {
	op := operation{}
	doc, err := canonical.Parse(raw, canonical.Limits{Bytes: maxBody, Unique: true})
	if err != nil {
		return op, invalid("the body is no strict JSON within 64 KiB: " + err.Error())
	}
	var given map[string]json.RawMessage
	if !doc.IsObject() || json.Unmarshal(doc.Canonical(), &given) != nil {
		return op, invalid("the body must be a JSON object")
	}
	f := fields{given: given}
	op.kind = f.text("operation", 1, maxName)
	allowed, known := members[op.kind]
	if f.wrong == nil && !known {
		f.wrong = invalid("operation: there is no operation " + strconv.Quote(short(op.kind)))
	}
	for name := range given {
		if f.wrong == nil && name != "operation" && !slices.Contains(allowed, name) && !slices.Contains(allowed, name+"!") {
			f.wrong = invalid(strconv.Quote(short(name)) + " is no member of " + op.kind)
		}
	}
	for _, name := range allowed {
		name, required := strings.CutSuffix(name, "!")
		if _, there := given[name]; f.wrong == nil && (there || required) {
			f.read(&op, name)
		}
	}
	op.defaults(given)
	return op, f.wrong
}

// defaults fills what a request left out.
func (op *operation) defaults(given map[string]json.RawMessage) {
	if _, there := given["limit"]; !there {
		op.limit = map[string]int{opSearch: 20, opRead: 8000}[op.kind]
		if op.limit == 0 {
			op.limit = 100
		}
	}
	if op.args.IsZero() {
		op.args = canonical.EmptyObject
	}
}

// fields reads members and keeps the first that is wrong.
type fields struct {
	given map[string]json.RawMessage
	wrong *refusal
}

func (f *fields) read(op *operation, name string) {
	switch name {
	case "cursor":
		op.cursor = f.text(name, 0, maxCursor)
	case "query":
		op.query = f.text(name, 1, maxQuery)
	case "toolkit":
		op.toolkit = f.text(name, 1, maxName)
		op.name.Toolkit = op.toolkit
	case "function":
		op.name.Function = f.text(name, 1, maxName)
	case "name":
		op.document = f.text(name, 1, maxName)
	case "limit":
		op.limit = f.number(name, 1, map[string]int{opSearch: 100, opRead: maxBody}[op.kind])
	case "offset":
		op.offset = f.number(name, 0, 1<<31-1)
	case "call_id":
		id, ok := parseUUID(f.text(name, 1, maxName))
		if op.id = id; !ok && f.wrong == nil {
			f.wrong = invalid("call_id: must be a UUID")
		}
	case "arguments":
		args, err := canonical.Parse(f.given[name], canonical.Limits{})
		if op.args = args; err != nil || !args.IsObject() {
			f.wrong = invalid("arguments: must be a JSON object")
		}
	}
}

// text reads a string of low to high characters; low 0 takes null as well.
func (f *fields) text(name string, low, high int) (s string) {
	value, ok := f.given[name]
	if !ok || f.wrong != nil {
		f.missing(name)
		return ""
	}
	if low == 0 && string(value) == "null" {
		return ""
	}
	if value[0] != '"' || json.Unmarshal(value, &s) != nil {
		f.wrong = invalid(name + ": must be a string")
	} else if n := utf8.RuneCountInString(s); n < low || n > high {
		f.wrong = invalid(name + ": must have " + strconv.Itoa(low) + " to " + strconv.Itoa(high) + " characters")
	}
	return s
}

// number reads a whole number; high 0 stands for 1000.
func (f *fields) number(name string, low, high int) int {
	if high == 0 {
		high = 1000
	}
	n, err := strconv.Atoi(string(f.given[name]))
	if err != nil || n < low || n > high {
		f.wrong = invalid(name + ": must be a whole number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high))
	}
	return n
}

func (f *fields) missing(name string) {
	if f.wrong == nil {
		f.wrong = invalid(name + ": is missing")
	}
}

func invalid(detail string) *refusal {
	return refuse(http.StatusUnprocessableEntity, CodeInvalid, "%s", detail)
}
