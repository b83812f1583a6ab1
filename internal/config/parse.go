package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// MaxFileBytes bounds config.yaml and each file it includes. A configuration of hundreds of agents is a tenth of it.
const MaxFileBytes = 1 << 20

const emptyFile = "the file is empty; it needs at least the sections models and agents"

// parse returns the root node of the only document in data, or the one fault that made the text unreadable. Both are nil for a
// text without any value.
func parse(file string, data []byte) (*yaml.Node, *Error) {
	if len(data) > MaxFileBytes {
		return nil, &Error{Pos: Pos{file, 1, 1}, Message: "the file is larger than 1 MiB; a configuration that large is probably another file"}
	}
	if fault := checkCharacters(file, data); fault != nil {
		return nil, fault
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, &Error{Pos: Pos{file, 1, 1}, Message: "cannot be read as YAML: " + err.Error()}
	}
	var document, second yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, syntaxError(file, data, err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, &Error{Pos: posOf(file, &second, Pos{file, 1, 1}), Message: "a second YAML document starts here; put everything into one document and remove the line ---"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(file, data, err)
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return document.Content[0], nil
}

// checkCharacters finds what the YAML reader would refuse without saying where.
func checkCharacters(file string, data []byte) *Error {
	line, column := 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return &Error{Pos: Pos{file, line, column}, Message: "the text is not UTF-8 here; save the file as UTF-8"}
		case r == '\n':
			line, column = line+1, 0
		case r < ' ' && r != '\t' && r != '\r', r == 0x7f:
			return &Error{Pos: Pos{file, line, column}, Message: "a control character stands here; remove it"}
		}
		column++
		i += size
	}
	return nil
}

// syntaxError turns the parser's fault into ours. Its position is a field, so no text is taken apart to find it.
func syntaxError(file string, data []byte, err error) *Error {
	pos, message := Pos{file, 1, 1}, "not valid YAML"
	var load *yaml.LoadError
	if errors.As(err, &load) {
		message += ": " + load.Message
		if load.ContextMsg != "" {
			message += " (" + load.ContextMsg
			if load.ContextMark.Line > 0 && load.ContextMark.Line != load.Mark.Line {
				message += fmt.Sprintf(", which begins in line %d", load.ContextMark.Line)
			}
			message += ")"
		}
		if load.Mark.Line > 0 {
			pos.Line, pos.Column = load.Mark.Line, max(1, load.Mark.Column)
		}
	}
	lines := strings.Split(string(data), "\n")
	pos.Line = min(pos.Line, len(lines))
	indent := lines[pos.Line-1]
	indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	if tab := strings.IndexByte(indent, '\t'); tab >= 0 {
		return &Error{Pos: Pos{file, pos.Line, tab + 1}, Message: "a tab indents this line; YAML wants spaces"}
	}
	return &Error{Pos: pos, Message: message}
}

// posOf falls back to the parent's place, because the parser gives none to some empty values.
func posOf(file string, n *yaml.Node, parent Pos) Pos {
	if n.Line < 1 {
		return parent
	}
	return Pos{file, n.Line, max(1, n.Column)}
}
