package tty

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is how many columns a terminal gives to s, which has no control
// characters. Terminals disagree about a few characters; this follows Unicode's
// table of East Asian widths, as most do.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// tabStop is how far tabs reach; a terminal's own would depend on the column.
const tabStop = "    "

// Wrap breaks text into rows of at most columns, at spaces where there are some.
// Tabs become spaces. columns below 2 count as 2, because a character may be that wide.
func Wrap(text string, columns int) []string {
	columns = max(columns, 2)
	var rows []string
	for _, line := range strings.Split(strings.ReplaceAll(text, "\t", tabStop), "\n") {
		rows = append(rows, wrapLine(line, columns)...)
	}
	return rows
}

func wrapLine(line string, columns int) []string {
	var rows []string
	for {
		cut, used, space := 0, 0, -1
		for i, r := range line {
			if used += runeWidth(r); used > columns {
				cut = i
				break
			}
			if r == ' ' && i > 0 {
				space = i
			}
		}
		switch {
		case cut == 0:
			return append(rows, line)
		case line[cut] == ' ':
			rows, line = append(rows, line[:cut]), line[cut+1:]
		case space > 0:
			rows, line = append(rows, line[:space]), line[space+1:]
		default:
			rows, line = append(rows, line[:cut]), line[cut:]
		}
	}
}
