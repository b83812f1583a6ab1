package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/tiktoken-go/tokenizer"

	"mindroom/internal/model"
	"mindroom/internal/model/anthropic"
	"mindroom/internal/model/openai"
)

// dialects are the providers whose requests are counted. The tokenizer is that of the
// first; the second's own is not public, so its figures are the same words in its form.
var dialects = []struct {
	name, key string
	build     model.Constructor
}{
	{"openai", "OPENAI_API_KEY", openai.Constructors()["openai"]},
	{"anthropic", "ANTHROPIC_API_KEY", anthropic.New},
}

// written is the body a provider would send for req: what our own writer of requests
// makes of prompt, tools and messages. Nothing leaves this process.
func written(ctx context.Context, build model.Constructor, key string, req model.Request) ([]byte, error) {
	wire := &recorder{}
	p, err := build(model.Settings{ID: "a-model", HTTPClient: &http.Client{Transport: wire}, Getenv: func(name string) string {
		if name == key {
			return "a-key"
		}
		return ""
	}})
	if err != nil {
		return nil, err
	}
	// The recorder refuses, so that nobody waits for an answer.
	_, refused := p.Stream(ctx, req, nil)
	if len(wire.body) == 0 {
		return nil, fmt.Errorf("no request was written: %w", refused)
	}
	return wire.body, nil
}

// recorder is the other side of a provider that keeps the request's body and refuses it.
type recorder struct{ body []byte }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	r.body = body
	return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader([]byte("{}"))), Request: req}, nil
}

// counted is how many tokens a text has in o200k_base, whose table is part of this
// program.
func counted(text []byte) (int, error) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return 0, err
	}
	return codec.Count(string(text))
}
