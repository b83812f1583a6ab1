package message

import (
	"net/url"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var mentionsKey = parser.NewContextKey()

type mentionsFound struct {
	resolve func(string) (string, bool)
	users   []string
}

// mentionParser turns "@name" into a link to the account of that name. As an
// inline parser it is never asked inside code.
type mentionParser struct{}

// Trigger implements parser.InlineParser.
func (mentionParser) Trigger() []byte { return []byte{'@'} }

// Parse implements parser.InlineParser.
func (mentionParser) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	found, _ := pc.Get(mentionsKey).(*mentionsFound)
	if found == nil || found.resolve == nil || partOfWord(block.PrecendingCharacter()) {
		return nil
	}
	line, segment := block.PeekLine()
	user, n := longestName(line, found.resolve)
	if n == 0 {
		return nil
	}
	found.users = append(found.users, user)
	link := ast.NewLink()
	link.Destination = []byte("https://matrix.to/#/" + url.PathEscape(user))
	link.AppendChild(link, ast.NewTextSegment(text.NewSegment(segment.Start, segment.Start+n)))
	block.Advance(n)
	return link
}

// longestName finds the name at the start of line ("@name…") and how many
// bytes it takes with its "@". Names may contain dots and colons, and a
// sentence may end in one, so the longest that is known wins.
func longestName(line []byte, resolve func(string) (string, bool)) (string, int) {
	end := 1
	for end < len(line) && nameByte(line[end]) {
		end++
	}
	for n := end; n > 1; n-- {
		if n < end && alphanumeric(line[n]) && alphanumeric(line[n-1]) {
			continue // never half a word
		}
		if user, ok := resolve(string(line[1:n])); ok {
			return user, n
		}
	}
	return "", 0
}

func nameByte(b byte) bool {
	return alphanumeric(b) || b == '-' || b == '.' || b == ':' || b == '=' || b == '/' || b == '+'
}

func alphanumeric(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// partOfWord: "mail@name" names nobody.
func partOfWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}
