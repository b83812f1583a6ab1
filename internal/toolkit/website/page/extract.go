package page

import (
	"errors"
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
)

// maxNodes bounds the elements of a page that is searched for its main text:
// the search takes more than linear time. A larger page gives all of its text.
const maxNodes = 20_000

// extract makes a page of an answer.
func extract(a answer) (Page, *Error) {
	k, label, name := kindOf(a.contentType, a.body)
	if k == binary {
		return Page{}, failf("%s is of the type %s, which is no text; only pages and text files are read", shown(a.url), bounded(name))
	}
	text := decode(k, label, a.contentType, a.body)
	if strings.ContainsRune(text, 0) {
		return Page{}, failf("%s calls itself %s but holds binary data; only pages and text files are read", shown(a.url), bounded(name))
	}
	if k != hypertext {
		return Page{Content: text}, nil
	}
	return readable(text, a.url)
}

// readable finds a page's main text; where there is none it gives all text a
// reader would see.
func readable(text string, at *url.URL) (Page, *Error) {
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return Page{}, failf("%s is HTML that cannot be read: %s", shown(at), bounded(err.Error()))
	}
	all := Page{Title: title(doc), Content: visible(doc)}
	article, err := mainText(doc, at)
	if err != nil || article.Content == "" {
		return all, nil
	}
	if article.Title == "" {
		article.Title = all.Title
	}
	return article, nil
}

var errNoArticle = errors.New("no main text")

func mainText(doc *html.Node, at *url.URL) (Page, error) {
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxNodes
	article, err := parser.ParseAndMutate(doc, at)
	if err != nil {
		return Page{}, err
	}
	if article.Node == nil {
		return Page{}, errNoArticle
	}
	return Page{Title: collapse(article.Title()), Content: visible(article.Node)}, nil
}
