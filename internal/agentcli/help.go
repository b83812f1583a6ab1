package agentcli

import (
	"fmt"
	"slices"
	"strings"
)

const top = `mindroom-agent calls your tools from inside a shell command. Every answer is one JSON
document on standard output; text for people is on standard error.

USAGE
  mindroom-agent tools list|search|describe|call …   find functions, read their schemas, call them
  mindroom-agent calls get|wait CALL_ID              the receipt of a call; wait while it is queued, running or waiting
  mindroom-agent context list|read …                 your role, instructions, skills and long schemas
  mindroom-agent GROUP COMMAND --help                arguments and options of one command

COMMANDS
`

const advice = `
TOOLKIT.FUNCTION works wherever TOOLKIT FUNCTION does. Before you ask a person an
interactive question, read how: mindroom-agent context read interactive

EXAMPLES
  mindroom-agent tools search send message
  mindroom-agent tools describe matrix_message.send
  mindroom-agent tools call matrix_message send '{"text":"Done"}'

  # A call waits 30 s for its outcome. Keep the receipt and handle 3 by yourself:
  status=0
  receipt=$(mindroom-agent tools call TOOLKIT FUNCTION --json-file arguments.json) || status=$?
  case "$status" in
    0) ;;
    3) mindroom-agent calls wait "$(printf '%s\n' "$receipt" | jq -r .call_id)" ;;
    *) printf '%s\n' "$receipt"; exit "$status" ;;
  esac

  # Several at once: submit with --timeout 0, then wait for each.

`

const statuses = `EXIT STATUS
  0  completed, or read
  1  the call failed, was denied or was cancelled
  2  wrong use, unusable arguments, or the server rejected the request
  3  the call is queued, running or waiting: 'calls wait CALL_ID' goes on. Under 'set -e'
     write '|| status=$?'. Do not chain the wait with &&, which would skip it
  4  no authority, or the outcome is unknown. After a call, check its call_id with
     'calls get' first: calling again with a fresh id may repeat a side effect
`

// Help is the help of one command; the first is that of the program.
type Help struct{ Command, Text string }

// Helps are all help texts, in the order of a manual.
func Helps() []Help {
	all := []Help{{"mindroom-agent", overview()}}
	for _, s := range specs {
		all = append(all, Help{"mindroom-agent " + s.path(), s.help()})
	}
	return all
}

// help finds the help that a command line asks for, if it does. It needs no environment (C01).
func help(args []string) (string, bool) {
	at := slices.IndexFunc(args, func(a string) bool { return a == "--help" || a == "-h" || a == "--" })
	if at < 0 || args[at] == "--" {
		return "", false
	}
	if len(args) > 1 && at > 1 {
		for _, s := range specs {
			if s.group == args[0] && s.action == args[1] {
				return s.help(), true
			}
		}
	}
	var group strings.Builder
	for _, s := range specs {
		if s.group == args[0] {
			group.WriteString(s.help() + "\n")
		}
	}
	if at == 1 && group.Len() > 0 {
		return strings.TrimSuffix(group.String(), "\n"), true
	}
	return overview(), true
}

func overview() string {
	var b strings.Builder
	b.WriteString(top)
	for _, s := range specs {
		fmt.Fprintf(&b, "  %s\n      %s\n", s.synopsis(), s.about)
	}
	return b.String() + advice + statuses
}

// synopsis is one line: what may stand behind the command.
func (s *spec) synopsis() string {
	line := s.path()
	if s.words != "" {
		line += " " + s.words
	}
	for _, o := range s.options {
		line += " [" + strings.TrimSpace(o.name+" "+o.value) + "]"
	}
	return line
}

func (s *spec) help() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nUSAGE\n  mindroom-agent %s %s\n", s.about, s.path(), strings.TrimSpace(s.words+" [options]"))
	if s.more != "" {
		b.WriteString("\n" + s.more + "\n")
	}
	b.WriteString("\nOPTIONS\n")
	for _, o := range append(slices.Clone(s.options), option{name: "--help", about: "print this"}) {
		fmt.Fprintf(&b, "  %-20s %s\n", strings.TrimSpace(o.name+" "+o.value), o.about)
	}
	b.WriteString("\nEXAMPLES\n")
	for _, e := range s.examples {
		b.WriteString("  " + e + "\n")
	}
	return b.String() + "\n" + statuses
}

// seeHelp says where the grammar is; of nil, that of the program.
func (s *spec) seeHelp() string {
	if s == nil {
		return "usage: mindroom-agent tools|calls|context COMMAND …: see 'mindroom-agent --help'"
	}
	return "usage: mindroom-agent " + s.synopsis() + ": see 'mindroom-agent " + s.path() + " --help'"
}
