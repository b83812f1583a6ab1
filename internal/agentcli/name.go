package agentcli

import "strings"

// qualify takes the name of a function from words: TOOLKIT FUNCTION, or TOOLKIT.FUNCTION (C03).
func (o *order) qualify(s *spec, words []string) error {
	if len(words) == 2 {
		o.toolkit, o.function = words[0], words[1]
		return nil
	}
	at := strings.LastIndexByte(words[0], '.')
	if at <= 0 || at == len(words[0])-1 {
		toolkit := strings.Trim(words[0], ".")
		return misused(s, "%q names no function: give TOOLKIT FUNCTION or TOOLKIT.FUNCTION; 'mindroom-agent tools search %s' lists the functions of that toolkit",
			words[0], toolkit)
	}
	o.toolkit, o.function = words[0][:at], words[0][at+1:]
	return nil
}

// takeCall takes what stands behind tools call: a name in one word or two, and perhaps the arguments (spec/agentcli.md 1.2).
func takeCall(o *order, s *spec, words []string) error {
	if n := len(words); n == 3 || n == 2 && strings.HasPrefix(strings.TrimLeft(words[1], " \t\r\n"), "{") {
		if err := o.give(s, literal(words[n-1])); err != nil {
			return err
		}
		words = words[:n-1]
	}
	return takeName(o, s, words)
}

// takeName takes what stands behind tools describe.
func takeName(o *order, s *spec, words []string) error {
	switch len(words) {
	case 0:
		return misused(s, "TOOLKIT FUNCTION is missing: 'mindroom-agent tools list' has the names")
	case 1, 2:
		return o.qualify(s, words)
	}
	return misused(s, "%q is one word too many", words[len(words)-1])
}

// takeQuery joins what was not quoted: an agent that searches for two words means both.
func takeQuery(o *order, s *spec, words []string) error {
	if len(words) == 0 {
		return misused(s, "QUERY is missing: name what you look for")
	}
	o.query = strings.Join(words, " ")
	return nil
}

func takeCallID(o *order, s *spec, words []string) error {
	if len(words) != 1 {
		return misused(s, "exactly one CALL_ID is needed: it is in the receipt of the call")
	}
	return o.identify(s, words[0])
}

func takeDocument(o *order, s *spec, words []string) error {
	if len(words) != 1 {
		return misused(s, "exactly one NAME is needed: 'mindroom-agent context list' has the names")
	}
	o.name = words[0]
	return nil
}

func takeNothing(_ *order, s *spec, words []string) error {
	if len(words) > 0 {
		return misused(s, "%q is one word too many", words[0])
	}
	return nil
}

// identify sets the id of the call.
func (o *order) identify(s *spec, text string) error {
	id, ok := parseUUID(text)
	if !ok {
		return misused(s, "%q is no UUID", text)
	}
	o.callID = id
	return nil
}

// give sets where the arguments are, once.
func (o *order) give(s *spec, from source) error {
	if len(o.given) > 0 {
		return misused(s, "the arguments are given twice: use only one of a last word, --json, --json-file and --json-stdin")
	}
	o.given = append(o.given, from)
	return nil
}
