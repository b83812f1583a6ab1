package agentcli

import (
	"math"
	"strconv"
	"time"
)

// option is one option of a command.
type option struct {
	name string
	// value is the word for its value in help; "" for an option without one.
	value string
	about string
	set   func(o *order, s *spec, value string) error
}

func text(name, value, about string, into func(*order) **string) option {
	return option{name, value, about, func(o *order, _ *spec, v string) error {
		*into(o) = &v
		return nil
	}}
}

// number is any whole number: the server knows its range and says it (spec/agentcli.md 1.2).
func number(name, about string, into func(*order) *int64) option {
	return option{name, "N", about, func(o *order, s *spec, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return misused(s, "%s takes a whole number, and %q is none", name, v)
		}
		*into(o) = n
		return nil
	}}
}

func flag(name, about string, into func(*order) *bool) option {
	return option{name, "", about, func(o *order, _ *spec, _ string) error {
		*into(o) = true
		return nil
	}}
}

func given(name, value, about string, from func(string) source) option {
	return option{name, value, about, func(o *order, s *spec, v string) error { return o.give(s, from(v)) }}
}

func limit(standard string) option {
	return number("--limit", "at most so many (default "+standard+")", func(o *order) *int64 { return &o.limit })
}

var (
	cursor = text("--cursor", "CURSOR", "go on behind an earlier page: its next_cursor", func(o *order) **string { return &o.cursor })

	timeout = option{"--timeout", "SECONDS", "wait so long for the outcome (default 30); 0 does not wait. It cancels nothing",
		func(o *order, s *spec, v string) error {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil || n < 0 {
				return misused(s, "--timeout takes a whole number of seconds, 0 or more, and %q is none", v)
			}
			o.timeout = time.Duration(min(n, math.MaxInt64/int64(time.Second))) * time.Second
			return nil
		}}

	callID = option{"--call-id", "UUID", "the id of this call. The same id with the same function and arguments joins the call that has it",
		func(o *order, s *spec, v string) error { return o.identify(s, v) }}

	result = flag("--result", "print the outcome alone instead of the receipt, once there is one", func(o *order) *bool { return &o.result })
)
