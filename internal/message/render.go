package message

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// tools are built at first use: a process that writes no message does not pay
// for them at start.
var tools = sync.OnceValue(func() (t struct {
	markdown goldmark.Markdown
	allowed  *bluemonday.Policy
}) {
	t.markdown = goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(mentionParser{}, 500))),
		goldmark.WithRendererOptions(html.WithHardWraps()),
	)
	t.allowed = matrixPolicy()
	return t
})

// render turns Markdown into the HTML that goes into formatted_body and tells
// which accounts the text names. The HTML is empty when it would say no more
// than the text.
func render(body string, resolve func(string) (string, bool)) (string, []string) {
	ctx := parser.NewContext()
	found := &mentionsFound{resolve: resolve}
	ctx.Set(mentionsKey, found)
	var buf bytes.Buffer
	if err := tools().markdown.Convert([]byte(body), &buf, parser.WithContext(ctx)); err != nil {
		// Only the writer can fail, and a buffer does not; plain text is
		// complete in any case.
		return "", found.users
	}
	out := strings.TrimSpace(tools().allowed.Sanitize(buf.String()))
	// One paragraph needs no wrapping; clients space it like plain text then.
	if inner, ok := strings.CutPrefix(out, "<p>"); ok && strings.Count(out, "<p>") == 1 {
		if inner, ok = strings.CutSuffix(inner, "</p>"); ok {
			out = inner
		}
	}
	if out == body {
		return "", found.users
	}
	return out, found.users
}

// matrixPolicy is the list of what a Matrix client may be shown (client-server
// API, m.room.message, "HTML format").
func matrixPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("del", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "p", "ul", "sup", "sub", "li",
		"b", "i", "u", "strong", "em", "s", "hr", "br", "table", "thead", "tbody", "tr", "th", "td",
		"caption", "pre", "details", "summary")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("https", "http", "ftp", "mailto", "magnet")
	p.RequireParseableURLs(true)
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^[0-9]{1,9}$`)).OnElements("ol")
	p.AllowElements("ol", "code", "span", "div")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^language-[A-Za-z0-9_+#.-]{1,40}$`)).OnElements("code")
	p.AllowAttrs("data-mx-color", "data-mx-bg-color").Matching(regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)).OnElements("span")
	p.AllowAttrs("data-mx-spoiler").OnElements("span")
	return p
}
