package turn

import (
	"strings"
	"testing"

	"mindroom/internal/canonical"
)

func TestBashArguments(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"command":"ls -l"}`:                            `{"args":"ls -l"}`,
		`{"command":"ls","timeout":5,"tail":3}`:          `{"args":"ls","tail":3,"timeout":5}`,
		`{"command":" x "}`:                              `{"args":" x "}`,
		`{}`:                                             "command: expected a string, received nothing",
		`{"command":""}`:                                 "command: it is empty",
		`{"command":" \n"}`:                              "command: it is empty",
		`{"command":null}`:                               "command: expected a string",
		`{"command":["ls"]}`:                             "command: expected a string",
		`{"command":"ls","timeout":0}`:                   "timeout: expected a number from 1",
		`{"command":"ls","timeout":"5"}`:                 "timeout: expected a whole number",
		`{"command":"ls","timeout":1.5}`:                 "timeout: expected a whole number",
		`{"command":"ls","timeout":null,"tail":null}`:    `{"args":"ls"}`,
		`{"command":"ls","timeout":86401}`:               "timeout: expected a number from 1",
		`{"command":"ls","tail":-1}`:                     "tail: expected a number from 1",
		`{"command":"ls","requester":"@eve:x"}`:          "requester: bash has no such argument",
		`{"command":"ls","timeout":1e400,"args":"evil"}`: ": ",
	} {
		doc, err := canonical.Parse([]byte(given), canonical.Limits{})
		if err != nil {
			if want != ": " {
				t.Errorf("%s: %v", given, err)
			}
			continue
		}
		got, fault := bashArguments(doc)
		text := string(got.Canonical())
		if fault != nil {
			text = fault.Message
		}
		if !strings.Contains(text, want) || (fault == nil) != strings.HasPrefix(want, "{") {
			t.Errorf("%s gives %s, want %s", given, text, want)
		}
	}
}

func FuzzBashArguments(f *testing.F) {
	f.Add(`{"command":"ls","timeout":5}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := canonical.Parse([]byte(text), canonical.Limits{Bytes: argumentBytes})
		if err != nil || !doc.IsObject() {
			return
		}
		got, fault := bashArguments(doc)
		if fault != nil {
			return
		}
		var shell struct {
			Args    *string
			Timeout *int64
			Tail    *int64
		}
		if err := got.Decode(&shell); err != nil || shell.Args == nil || strings.TrimSpace(*shell.Args) == "" ||
			shell.Timeout != nil && (*shell.Timeout < 1 || *shell.Timeout > maxBashTimeout) || shell.Tail != nil && *shell.Tail < 1 {
			t.Errorf("%q became %s", text, got.Canonical())
		}
	})
}
