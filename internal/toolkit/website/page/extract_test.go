package page

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestContent(t *testing.T) {
	t.Parallel()
	const article = `<html><head><title> The  title </title><script>var x = "no"</script></head><body>
		<nav><a href="/">Home</a></nav><article><h1>The title</h1><p>%s</p><p>Second   paragraph,
		which is long enough to be taken for the main text of this page, as it should be.</p></article>
		<footer>Imprint</footer></body></html>`
	long := strings.Repeat("A sentence of the first paragraph, with a comma in it. ", 20)
	for name, c := range map[string]struct{ contentType, body, title, want string }{
		"plain as it is":       {"text/plain", "ok\n  1\t2\r\n", "", "ok\n  1\t2\r\n"},
		"empty":                {"text/plain", "", "", ""},
		"json as it is":        {"application/json; charset=utf-8", `{"b": 1,  "a":"ü"}`, "", `{"b": 1,  "a":"ü"}`},
		"problem json":         {"application/problem+json", `{}`, "", `{}`},
		"xml":                  {"application/xml", "<?xml version='1.0' encoding='iso-8859-1'?><a>\xfc</a>", "", "<?xml version='1.0' encoding='iso-8859-1'?><a>ü</a>"},
		"csv":                  {"text/csv", "a,b\n", "", "a,b\n"},
		"no type, text":        {"", "just text", "", "just text"},
		"latin by label":       {"text/plain; charset=iso-8859-1", "gr\xfc\xdfe", "", "grüße"},
		"cyrillic by label":    {"text/plain; charset=windows-1251", "\xef\xf0\xe8\xe2\xe5\xf2", "", "привет"},
		"japanese by label":    {"text/plain; charset=shift_jis", "\x93\xfa\x96\x7b", "", "日本"},
		"utf-8 by content":     {"text/plain", "grüße", "", "grüße"},
		"latin by content":     {"text/plain", "gr\xfc\xdfe", "", "grüße"},
		"unknown label":        {"text/plain; charset=klingon", "grüße", "", "grüße"},
		"mark":                 {"text/plain", "\xef\xbb\xbfhi", "", "hi"},
		"utf-16 by mark":       {"text/plain", "\xff\xfeh\x00i\x00", "", "hi"},
		"broken utf-8":         {"application/json", "\"\xff\"", "", "\"\ufffd\""},
		"meta charset":         {"text/html", "<meta charset=windows-1251><p>\xef\xf0\xe8\xe2\xe5\xf2</p>", "", "привет"},
		"utf-8 late in a page": {"text/html", "<p>" + strings.Repeat("a ", 2000) + "</p><p>grüße</p>", "", strings.TrimSpace(strings.Repeat("a ", 2000)) + "\ngrüße"},
		"page without article": {"text/html", "<title>T</title><p>Status:  <b>green</b></p><script>x</script><ul><li>one</li><li>two</li></ul>", "T", "Status: green\none\ntwo"},
		"hidden parts":         {"text/html", `<p>seen</p><p hidden>a</p><p style="display: none">b</p><template>c</template>`, "", "seen"},
		"table and pre":        {"text/html", "<table><tr><td>a</td><td>b</td></tr></table><pre>x  = 1\n  y\n\n</pre>", "", "a b\nx  = 1\n  y"},
		"empty page":           {"text/html", "", "", ""},
		"article": {"text/html; charset=utf-8", strings.Replace(article, "%s", long, 1), "The title",
			strings.TrimSpace(long) + "\nSecond paragraph, which is long enough to be taken for the main text of this page, as it should be."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := serveBody(t, c.contentType, c.body)
			p, err := reader().Read(t.Context(), address)
			if err != nil {
				t.Fatal(err)
			}
			if p.Title != c.title || p.Content != c.want {
				t.Errorf("page = %q, %q\nwant   %q, %q", p.Title, p.Content, c.title, c.want)
			}
			// Invariant 1.
			again, err := reader().Read(t.Context(), address)
			if err != nil || again != p {
				t.Errorf("the same page read again gives %+v, %v", again, err)
			}
		})
	}
}

func TestBinaryRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ contentType, body, want string }{
		"image":        {"image/png", "\x89PNG\r\n", "image/png"},
		"pdf":          {"application/pdf", "%PDF-1.7", "application/pdf"},
		"archive":      {"application/zip", "PK\x03\x04", "application/zip"},
		"octets":       {"application/octet-stream", "hello", "application/octet-stream"},
		"sniffed":      {"", "\x89PNG\r\n\x1a\n\x00\x00", "image/png"},
		"mislabelled":  {"text/plain", "a\x00b", "binary data"},
		"html with 00": {"text/html", "<p>a\x00b", "binary data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, fault := extract(answer{url: &url.URL{Scheme: "http", Host: "h"}, contentType: c.contentType, body: []byte(c.body)})
			if fault == nil || !strings.Contains(fault.Message, c.want) {
				t.Errorf("fault = %v, want one that names %q", fault, c.want)
			}
		})
	}
}

// Hostile markup ends, and ends the same way twice.
func TestHostileMarkup(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"deep":  strings.Repeat("<div>", 100_000) + "x",
		"wide":  strings.Repeat("<p>a, b, c</p>", 40_000),
		"attrs": "<p " + strings.Repeat("a=b ", 50_000) + ">x</p>",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := answer{url: &url.URL{Scheme: "http", Host: "h"}, contentType: "text/html", body: []byte(body)}
			first, f1 := extract(a)
			second, f2 := extract(a)
			if first != second || (f1 == nil) != (f2 == nil) {
				t.Error("two readings differ")
			}
			if name == "wide" && !strings.HasPrefix(first.Content, "a, b, c\na, b, c") {
				t.Errorf("content = %.40q", first.Content)
			}
		})
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("text/html", []byte("<html><title>a</title><p>b<script>c</script>"))
	f.Add("text/plain; charset=utf-16", []byte("\xff\xfea\x00"))
	f.Add("application/xml", []byte("<?xml version='1.0' encoding='koi8-r'?><a/>"))
	f.Add("", []byte("x"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		p, fault := extract(answer{url: &url.URL{Scheme: "http", Host: "h"}, contentType: contentType, body: body})
		if fault != nil {
			return
		}
		if !utf8.ValidString(p.Content) || !utf8.ValidString(p.Title) || strings.ContainsRune(p.Content, 0) {
			t.Fatalf("the page is no clean text: %q", p)
		}
	})
}
