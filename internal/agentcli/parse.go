package agentcli

import (
	"slices"
	"strings"
	"time"
)

// order is a command line that was understood. What a command does not take is zero.
type order struct {
	spec *spec

	toolkit, function string
	query, name       string
	cursor, within    *string // nil: not given
	limit, offset     int64
	timeout           time.Duration
	// callID is canonical; "" where the command has none yet.
	callID string
	given  []source // at most one
	dryRun bool
	result bool
}

// groups says what there is, to who reads the document alone.
const groups = "there are tools, calls and context: 'mindroom-agent --help' tells of them"

// parse understands a command line without its first word. It reads neither files nor the environment. Its only error is a
// *usageError.
func parse(args []string) (order, error) {
	if len(args) == 0 {
		return order{}, misused(nil, "a command is missing; %s", groups)
	}
	group := slices.ContainsFunc(specs, func(s *spec) bool { return s.group == args[0] })
	switch {
	case !group:
		return order{}, misused(nil, "%q is no command; %s", args[0], groups)
	case len(args) == 1:
		return order{}, misused(nil, "%q needs one of: %s", args[0], strings.Join(actions(args[0]), ", "))
	}
	at := slices.IndexFunc(specs, func(s *spec) bool { return s.group == args[0] && s.action == args[1] })
	if at < 0 {
		return order{}, misused(nil, "%q is no command of %s, which has: %s", args[1], args[0], strings.Join(actions(args[0]), ", "))
	}
	s := specs[at]
	o := s.standard
	o.spec = s
	words, err := o.options(s, args[2:])
	if err != nil {
		return order{}, err
	}
	return o, s.take(&o, s, words)
}

// options takes the options from anywhere among args and gives the words that are left. Behind -- every word is one.
func (o *order) options(s *spec, args []string) (words []string, err error) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(words, args...), nil
		case !strings.HasPrefix(arg, "--"):
			words = append(words, arg)
			continue
		}
		name, value, inline := strings.Cut(arg, "=")
		at := slices.IndexFunc(s.options, func(o option) bool { return o.name == name })
		switch {
		case at < 0:
			return nil, misused(s, "%s is no option of %s", name, s.path())
		case s.options[at].value == "" && inline:
			return nil, misused(s, "%s takes no value", name)
		case s.options[at].value != "" && !inline:
			if len(args) == 0 || strings.HasPrefix(args[0], "--") {
				return nil, misused(s, "%s needs a value; one that begins with -- is given as %s=VALUE", name, name)
			}
			value, args = args[0], args[1:]
		}
		if err := s.options[at].set(o, s, value); err != nil {
			return nil, err
		}
	}
	return words, nil
}

func actions(group string) (names []string) {
	for _, s := range specs {
		if s.group == group {
			names = append(names, s.action)
		}
	}
	return names
}
