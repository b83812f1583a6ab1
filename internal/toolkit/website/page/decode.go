package page

import (
	"bytes"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// kind is how a body is read.
type kind int

const (
	binary kind = iota
	plain
	markup // XML: as it is, in the encoding its prologue names
	jsonText
	hypertext
)

// textual are the types outside text/* that are written for people.
var textual = map[string]kind{
	"application/xhtml+xml": hypertext, "application/json": jsonText, "application/xml": markup,
	"application/javascript": plain, "application/ecmascript": plain, "application/x-javascript": plain,
	"application/yaml": plain, "application/x-yaml": plain, "application/toml": plain, "application/x-ndjson": jsonText,
	"application/jsonl": jsonText, "application/sql": plain, "application/graphql": plain, "application/x-sh": plain,
	"image/svg+xml": markup,
}

// kindOf tells how a media type is read, and its name for a refusal.
func kindOf(contentType string, body []byte) (kind, string, string) {
	if strings.TrimSpace(contentType) == "" {
		contentType = http.DetectContentType(body)
	}
	name, params, err := mime.ParseMediaType(contentType)
	if err != nil && name == "" {
		name, params, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	label := params["charset"]
	if k, ok := textual[name]; ok {
		return k, label, name
	}
	switch {
	case name == "text/html":
		return hypertext, label, name
	case name == "text/xml", strings.HasSuffix(name, "+xml"):
		return markup, label, name
	case strings.HasSuffix(name, "+json"):
		return jsonText, label, name
	case strings.HasPrefix(name, "text/"):
		return plain, label, name
	}
	return binary, label, name
}

var prologue = regexp.MustCompile(`^\s*<\?xml[^>]{0,100}?encoding=["']([A-Za-z0-9._-]{1,40})["']`)

// decode gives a body as UTF-8 without a byte order mark: by the mark, else by
// the label that was sent, else by what the document says of itself, else UTF-8
// where it is that, else the web's old default.
func decode(k kind, label string, contentType string, body []byte) string {
	var enc encoding.Encoding
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		enc = unicode.UTF8
		body = body[3:]
	case bytes.HasPrefix(body, []byte("\xff\xfe")), bytes.HasPrefix(body, []byte("\xfe\xff")):
		enc = unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM)
	default:
		if label != "" {
			enc, _ = charset.Lookup(label)
		}
		if enc == nil {
			enc = byContent(k, contentType, body)
		}
	}
	out, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		out = body
	}
	return strings.ToValidUTF8(string(out), "\ufffd")
}

func byContent(k kind, contentType string, body []byte) encoding.Encoding {
	switch k {
	case jsonText:
		return unicode.UTF8
	case markup:
		if m := prologue.FindSubmatch(body[:min(len(body), 256)]); m != nil {
			if enc, _ := charset.Lookup(string(m[1])); enc != nil {
				return enc
			}
		}
		return unicode.UTF8
	case hypertext:
		// The whole body decides whether it is UTF-8: the first kilobyte of a page
		// is often plain ASCII.
		if enc, name, certain := charset.DetermineEncoding(body, contentType); certain || name != "windows-1252" {
			return enc
		}
	}
	if utf8.Valid(body) {
		return unicode.UTF8
	}
	return charmap.Windows1252
}
