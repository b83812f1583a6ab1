package config

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// text reads a string. A bare number or boolean is refused, because YAML would have changed it (1.10 is not "1.10").
func (d *decoder) text(n *node) (string, bool) {
	switch {
	case n.kind != kindScalar:
		d.fail(n, "must be a string")
	case n.tag == "!!str" || n.tag == "!!timestamp":
		return n.text, true
	default:
		d.fail(n, "must be a string; put quotes around %s", clip(n.text))
	}
	return "", false
}

// boolean also takes the words YAML 1.1 had, since configurations written for it exist.
func (d *decoder) boolean(n *node) (value, ok bool) {
	if n.kind == kindScalar && n.plain {
		switch strings.ToLower(n.text) {
		case "true", "yes", "on":
			return true, true
		case "false", "no", "off":
			return false, true
		}
	}
	d.fail(n, "must be true or false")
	return false, false
}

var decimal = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)

// integer takes decimal digits only: readers disagree about 010 and 1_000, so neither is guessed at.
func (d *decoder) integer(n *node) (int64, bool) {
	if n.kind == kindScalar && n.plain && decimal.MatchString(n.text) {
		if i, err := strconv.ParseInt(n.text, 10, 64); err == nil {
			return i, true
		}
		d.fail(n, "is out of range for a whole number")
		return 0, false
	}
	d.fail(n, "must be a whole number, written in decimal digits")
	return 0, false
}

// number takes any finite decimal number.
func (d *decoder) number(n *node) (float64, bool) {
	if n.kind != kindScalar || !n.plain || n.tag != "!!int" && n.tag != "!!float" {
		d.fail(n, "must be a number")
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.Replace(n.text, ".inf", "inf", 1), 64)
	lower := strings.ToLower(strings.TrimLeft(n.text, "+-"))
	switch {
	case lower == ".inf" || lower == ".nan" || math.IsInf(f, 0):
		d.fail(n, "must be a finite number; %s is none", clip(n.text))
		return 0, false
	case err != nil:
		d.fail(n, "must be a number in decimal digits")
		return 0, false
	}
	return f, true
}
