package scripted

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"mindroom/internal/model"
)

// Name is what this provider is called wherever it shows; it says that no model answers.
const Name = "scripted (offline)"

//go:embed echo.yaml
var echo []byte

type provider struct {
	book *book
	id   string
}

var _ model.Constructor = New

// New loads the rules that extra_kwargs.rules names, or the built-in ones. A relative path starts at the settings'
// folder. A fault in the file is a *FileError.
func New(s model.Settings) (model.Provider, error) {
	k := model.ReadKwargs(s.ExtraKwargs)
	path := k.String("rules")
	if err := k.Err(); err != nil {
		return nil, err
	}
	data, l := echo, loader{file: "the built-in rules", include: noInclude}
	if path != "" {
		full := path
		if !filepath.IsAbs(full) {
			full = filepath.Join(s.Dir, path)
		}
		text, err := read(full)
		if err != nil {
			return nil, fmt.Errorf("rules of the scripted model: %w", err)
		}
		data = []byte(text)
		l = loader{file: path, include: func(name string) (string, error) {
			if !filepath.IsAbs(name) {
				name = filepath.Join(filepath.Dir(full), name)
			}
			return read(name)
		}}
	}
	b, err := l.load(data)
	if err != nil {
		return nil, fmt.Errorf("rules of the scripted model: %w", err)
	}
	return &provider{book: b, id: s.ID}, nil
}

func noInclude(path string) (string, error) {
	return "", fmt.Errorf("the built-in rules include no file, such as %s", path)
}

// read is a whole text file of at most maxFile bytes.
func read(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxFile:
		return "", fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	case !utf8.Valid(data):
		return "", fmt.Errorf("%s is not UTF-8 text", path)
	}
	return string(data), nil
}

func (p *provider) Name() string { return Name }

func (p *provider) Stream(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
	if sink == nil {
		sink = func(model.Event) {}
	}
	v := look(req)
	resp, fail := p.book.answer(v)
	id := req.Model
	if id == "" {
		id = p.id
	}
	if fail != "" && ctx.Err() == nil {
		return resp, failure(fail, id)
	}
	resp.Usage = model.Usage{Input: tokens(v.size), Output: tokens(size(resp.Message))}
	text := resp.Message.Text()
	told := 0
	for _, piece := range pieces(text) {
		if ctx.Err() != nil {
			break
		}
		sink(model.Event{Text: piece})
		told += len(piece)
	}
	if err := ctx.Err(); err != nil {
		return said(text[:told]), &model.Error{Kind: model.KindCancelled, Provider: Name, Model: id, Err: err}
	}
	for _, c := range resp.Message.Calls() {
		if c.Name != "" {
			sink(model.Event{CallName: c.Name})
		}
	}
	return resp, nil
}

func failure(kind model.Kind, id string) *model.Error {
	e := &model.Error{Kind: kind, Provider: Name, Model: id, Detail: "a rule says so"}
	switch kind {
	case model.KindRateLimit, model.KindOverloaded, model.KindNetwork, model.KindTimeout:
		e.Retryable = true
	}
	return e
}

// tokens estimates; see sentence 8 of the package.
func tokens(bytes int) int64 { return int64(bytes+3) / 4 }

// pieces cuts a text into a few, after spaces, so that it arrives as a model's does.
func pieces(text string) []string {
	words := strings.SplitAfter(text, " ")
	if len(words) == 1 && utf8.RuneCountInString(text) > 1 {
		_, first := utf8.DecodeRuneInString(text)
		return []string{text[:first], text[first:]}
	}
	const few = 8
	per := (len(words) + few - 1) / few
	var out []string
	for len(words) > 0 {
		n := min(per, len(words))
		if piece := strings.Join(words[:n], ""); piece != "" {
			out = append(out, piece)
		}
		words = words[n:]
	}
	return out
}
