package dispatch

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Accounts tells our accounts from everybody else's.
type Accounts interface {
	// Entity is the configured name behind one of our accounts; false when the
	// user is none of ours.
	Entity(userID string) (name string, ours bool)
	// UserID is the account of a configured name; false when it has none yet.
	UserID(entity string) (userID string, ok bool)
	// Names are the configured names that have an account.
	Names() []string
}

var (
	pillLink   = regexp.MustCompile(`https://matrix\.to/#/([^"'?&<>\s]+)`)
	quotedHTML = regexp.MustCompile(`(?s)<mx-reply>.*?</mx-reply>|<pre>.*?</pre>|<pre .*?</pre>`)
	bodyToken  = regexp.MustCompile(`@[A-Za-z0-9._=/+-]+(?::[A-Za-z0-9.-]*[A-Za-z0-9](?::[0-9]+)?)?`)
)

// Mentions lists the Matrix ids that a message mentions, sorted and once each.
// The first source that names anybody counts alone (spec/runtime.md 3.6):
// m.mentions, then pills, then tokens of the body, which are @ and a configured
// name in any case, or a full Matrix id.
func Mentions(c Content, accounts Accounts) []string {
	if c.SkipMentions {
		return nil
	}
	ids := c.MentionIDs
	if len(ids) == 0 {
		ids = pills(c.FormattedBody)
	}
	if len(ids) == 0 {
		ids = tokens(c.Said(), accounts)
	}
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

func pills(formatted string) []string {
	var ids []string
	for _, m := range pillLink.FindAllStringSubmatch(quotedHTML.ReplaceAllString(formatted, ""), -1) {
		id, err := url.PathUnescape(m[1])
		if err == nil && isUserID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func tokens(body string, accounts Accounts) []string {
	var ids []string
	for _, at := range bodyToken.FindAllStringIndex(body, -1) {
		if at[0] > 0 && isNamePart(body[at[0]-1]) {
			continue // mail@example.org mentions nobody
		}
		token := body[at[0]:at[1]]
		if isUserID(token) {
			ids = append(ids, token)
			continue
		}
		key := strings.ToLower(strings.TrimRight(token[1:], ".-/+="))
		for _, name := range accounts.Names() {
			if strings.ToLower(name) != key {
				continue
			}
			if id, ok := accounts.UserID(name); ok {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func isUserID(s string) bool {
	return strings.HasPrefix(s, "@") && strings.IndexByte(s, ':') > 1
}

func isNamePart(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '-' || c >= 0x80
}
