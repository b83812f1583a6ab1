package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

type dotenvValue struct {
	text string
	line int
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseDotenv reads NAME=value lines, with an optional export, comments, and values in '…' (as they are) or "…" (with \n, \t,
// \\, \", \$). Nothing is substituted: a $ in a password stays one. A name given twice keeps its last value, as in a shell.
// Messages name the variable and never show the line.
func parseDotenv(file string, data []byte) (map[string]dotenvValue, error) {
	if len(data) > MaxFileBytes {
		return nil, Errors{{Pos: Pos{file, 1, 1}, Message: "the file is larger than 1 MiB"}}
	}
	if !utf8.Valid(data) {
		return nil, Errors{{Pos: Pos{file, 1, 1}, Message: "the file is not UTF-8"}}
	}
	values, errs := map[string]dotenvValue{}, Errors(nil)
	text := strings.TrimPrefix(string(data), "\ufeff")
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, raw, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		pos := Pos{file, i + 1, 1}
		if !ok || !variableName.MatchString(name) {
			errs = append(errs, Error{Pos: pos, Message: "must be a line NAME=value, a comment or empty"})
			continue
		}
		value, err := dotenvText(strings.TrimSpace(raw))
		if err != nil {
			errs = append(errs, Error{Pos: pos, Path: name, Message: err.Error()})
			continue
		}
		values[name] = dotenvValue{value, i + 1}
	}
	if errs != nil {
		return nil, errs
	}
	return values, nil
}

// dotenvText takes the quotes or the trailing comment off a value.
func dotenvText(raw string) (string, error) {
	if raw == "" || raw[0] != '"' && raw[0] != '\'' {
		if i := strings.Index(raw, " #"); i >= 0 {
			raw = strings.TrimSpace(raw[:i])
		}
		if strings.HasPrefix(raw, "#") {
			raw = ""
		}
		return raw, nil
	}
	quote := raw[0]
	var b strings.Builder
	for i := 1; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == quote:
			if rest := strings.TrimSpace(raw[i+1:]); rest != "" && rest[0] != '#' {
				return "", fmt.Errorf("has text after its closing quote; put the quotes around all of it")
			}
			return b.String(), nil
		case c == '\\' && quote == '"' && i+1 < len(raw):
			i++
			b.WriteString(unescape(raw[i]))
		default:
			b.WriteByte(c)
		}
	}
	return "", fmt.Errorf("has no closing quote; a value cannot span lines, write \\n inside double quotes")
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '\\', '"', '$':
		return string(c)
	}
	return `\` + string(c)
}
