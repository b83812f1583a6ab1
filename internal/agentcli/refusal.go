package agentcli

import (
	"fmt"

	"mindroom/internal/agentcli/http1"
	"mindroom/internal/canonical"
)

// refusal is the failure that a status other than success stands for (spec/agentcli.md 2.5). A redirect is never followed.
func refusal(resp http1.Response) *failure {
	detail, hint, code := details(resp.Body)
	var f *failure
	switch resp.Status {
	case 400, 409, 413, 422:
		f = invalid("Agent CLI request rejected%s", detail)
	case 401:
		f = unknown("Agent CLI authority is unavailable: the response that this shell belongs to has ended, or it knows no call of this id")
	case 301, 302, 303, 307, 308:
		f = unknown("the server answered with a redirect (status %d), which is not followed", resp.Status)
	default:
		f = unknown("the server answered with status %d%s; the outcome is unknown", resp.Status, detail)
	}
	f.hint, f.code = hint, code
	return f
}

// details are what a refusal says of itself: all empty where it is no JSON, a page of a proxy for example.
func details(body []byte) (detail, hint, code string) {
	doc, err := canonical.Parse(body, canonical.Limits{Bytes: maxDocument, Unique: true})
	if err != nil {
		return "", "", ""
	}
	// Each by itself, because a field of another type is none and takes no other along.
	var members map[string]any
	if doc.Decode(&members) != nil {
		return "", "", ""
	}
	say := func(name string, most int) string {
		s, _ := members[name].(string)
		return cut(s, most)
	}
	if detail = say("detail", maxDetail); detail != "" {
		detail = fmt.Sprintf(": %s", detail)
	}
	return detail, say("hint", maxHint), say("code", maxHint)
}
