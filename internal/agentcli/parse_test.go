package agentcli

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// id is one UUID in the form in which it is sent.
const id = "0b0c0e7e-6d0e-4b52-9a57-0f6c2d6f7a11"

func deref(s *string) string {
	if s == nil {
		return "(none)"
	}
	return *s
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string // words between single spaces; _ inside a word is a space
		look func(order) bool
	}{
		{"tools list", func(o order) bool { return o.limit == 100 && o.cursor == nil && o.spec.path() == "tools list" }},
		{"tools list --cursor= --limit -1", func(o order) bool { return o.limit == -1 && deref(o.cursor) == "" }},
		{"tools search create an event --limit=5", func(o order) bool {
			return o.query == "create an event" && o.limit == 5 && o.within == nil
		}},
		{"tools search --toolkit calendar create_event", func(o order) bool {
			return o.query == "create event" && deref(o.within) == "calendar" && o.limit == 20
		}},
		{"tools search -- --toolkit", func(o order) bool { return o.query == "--toolkit" }},
		{"tools describe a b", func(o order) bool { return o.toolkit == "a" && o.function == "b" }},
		{"tools describe a.b", func(o order) bool { return o.toolkit == "a" && o.function == "b" }},
		{"tools describe a.b.c", func(o order) bool { return o.toolkit == "a.b" && o.function == "c" }},
		{"tools describe a.b c", func(o order) bool { return o.toolkit == "a.b" && o.function == "c" }},
		{"tools call a.b", func(o order) bool {
			return o.function == "b" && o.timeout == 30*time.Second && o.callID == "" && len(o.given) == 0 && !o.result && !o.dryRun
		}},
		{"tools call a b {}", func(o order) bool { return o.toolkit == "a" && o.function == "b" && len(o.given) == 1 }},
		{"tools call a b [1]", func(o order) bool { return o.function == "b" && len(o.given) == 1 }},
		{"tools call a.b __{}", func(o order) bool { return o.toolkit == "a" && o.function == "b" && len(o.given) == 1 }},
		{"tools call --timeout 0 a.b {} --call-id " + strings.ToUpper(id), func(o order) bool {
			return o.timeout == 0 && o.callID == id && len(o.given) == 1
		}},
		{"tools call a b --json-stdin --dry-run --result", func(o order) bool { return len(o.given) == 1 && o.dryRun && o.result }},
		{"tools call a b --json -1", func(o order) bool { return len(o.given) == 1 }},
		{"tools call a b --json=--x", func(o order) bool { return len(o.given) == 1 }},
		{"calls get urn:uuid:" + id, func(o order) bool { return o.callID == id }},
		{"calls wait {" + id + "} --timeout 99999999999999", func(o order) bool { return o.callID == id && o.timeout > 0 }},
		{"context list --limit 2", func(o order) bool { return o.limit == 2 }},
		{"context read role", func(o order) bool { return o.name == "role" && o.offset == 0 && o.limit == 8000 }},
		{"context read tool-schema-1 --offset 8000 --limit 1", func(o order) bool { return o.offset == 8000 && o.limit == 1 }},
	} {
		o, err := parse(words(c.line))
		if err != nil || !c.look(o) {
			t.Errorf("%s: %+v, %v", c.line, o, err)
		}
	}
}

func words(line string) []string {
	if line == "" {
		return nil
	}
	parts := strings.Split(line, " ")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "_", " ")
	}
	return parts
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"":                            "there are tools, calls and context",
		"frob":                        "\"frob\" is no command; there are tools, calls and context",
		"tools":                       "needs one of: list, search, describe, call",
		"tools frob":                  "has: list, search, describe, call",
		"calls list":                  "has: get, wait",
		"tools list more":             "one word too many",
		"tools list --limit":          "needs a value",
		"tools list --limit --cursor": "needs a value",
		"tools list --limit 1.5":      "whole number",
		"tools list --limit 99999999999999999999":   "whole number",
		"tools list --toolkit x":                    "--toolkit is no option of tools list",
		"tools search":                              "QUERY is missing",
		"tools describe":                            "is missing",
		"tools describe calendar":                   "tools search calendar",
		"tools describe calendar.":                  "tools search calendar",
		"tools describe .event":                     "names no function",
		"tools describe a b c":                      "one word too many",
		"tools call calendar":                       "tools search calendar",
		"tools call calendar {}":                    "tools search calendar",
		"tools call a b {} {}":                      "one word too many",
		"tools call a b {} --json {}":               "given twice",
		"tools call a.b {} --json-stdin":            "given twice",
		"tools call a b --json {} --json-file x":    "given twice",
		"tools call a b --json-file x --json-stdin": "given twice",
		"tools call a b --json-stdin=yes":           "takes no value",
		"tools call a b --timeout -1":               "0 or more",
		"tools call a b --timeout 1e3":              "whole number",
		"tools call a b --call-id x":                "no UUID",
		"tools call a b --call-id":                  "needs a value",
		"calls get":                                 "exactly one CALL_ID",
		"calls get " + id + " " + id:                "exactly one CALL_ID",
		"calls get nonsense":                        "no UUID",
		"calls wait " + id + " --limit 1":           "no option of calls wait",
		"context read":                              "exactly one NAME",
		"context read a b":                          "exactly one NAME",
		"context list a":                            "one word too many",
	} {
		_, err := parse(words(line))
		var usage *usageError
		if !errors.As(err, &usage) || !strings.Contains(usage.text, want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

func TestUUID(t *testing.T) {
	t.Parallel()
	bare := strings.ReplaceAll(id, "-", "")
	for _, text := range []string{id, strings.ToUpper(id), bare, "{" + id + "}", "{" + bare + "}", "urn:uuid:" + id, "uuid:" + bare} {
		if got, ok := parseUUID(text); !ok || got != id {
			t.Errorf("%s: %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "x", id[1:], id + "0", strings.Replace(id, "0", "g", 1), " " + id, "urn:" + id[:8]} {
		if got, ok := parseUUID(text); ok {
			t.Errorf("%q is a UUID: %s", text, got)
		}
	}
	a, b := newUUID(), newUUID()
	if got, ok := parseUUID(a); !ok || got != a || a == b || a[14] != '4' || !strings.Contains("89ab", a[19:20]) {
		t.Errorf("made %s and %s", a, b)
	}
}

// FuzzParse holds that no command line ends the program, and that what is understood is of one command.
func FuzzParse(f *testing.F) {
	f.Add("tools call a b {} --timeout 3")
	f.Add("context read -- --x")
	f.Fuzz(func(t *testing.T, line string) {
		o, err := parse(strings.Fields(line))
		var usage *usageError
		if err != nil && (!errors.As(err, &usage) || usage.text == "" || usage.of.seeHelp() == "") {
			t.Fatalf("an error of another kind: %v", err)
		}
		if err == nil && (o.spec == nil || len(o.given) > 1 || o.timeout < 0) {
			t.Fatalf("understood as %+v", o)
		}
	})
}
