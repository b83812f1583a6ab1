package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"mindroom/internal/model"
	"mindroom/internal/model/wire"
	"mindroom/internal/secret"
)

type provider struct {
	completions sdk.ChatCompletionService
	party       wire.Party // without a model
	id          string
	keyMissing  bool
	official    bool // OpenAI itself: it has renamed a field that everybody else kept
	maxTokens   int
	temperature *float64
	topP        *float64
	effort      string
	extra       []option.RequestOption
}

func build(f flavour, s model.Settings) (model.Provider, error) {
	k := model.ReadKwargs(s.ExtraKwargs)
	p := &provider{
		id:          s.ID,
		maxTokens:   k.Int("max_tokens"),
		temperature: k.Float("temperature"),
		topP:        k.Float("top_p"),
		effort:      k.String("reasoning_effort"),
	}
	key, baseKwarg, idle := secret.New(k.String("api_key")), k.String("base_url"), k.Seconds("idle_timeout", model.IdleTimeout)
	body := k.Object("extra_body")
	if err := k.Err(); err != nil {
		return nil, err
	}
	base, own, err := f.address(baseKwarg, s)
	if err != nil {
		return nil, err
	}
	// As people expect of these variables, the key also goes to another address that the operator gives; a server
	// that needs none ignores it.
	if key.IsZero() && f.keyEnv != "" {
		key = secret.New(s.Env(f.keyEnv))
	}
	p.keyMissing = key.IsZero() && own && f.keyEnv != ""
	p.official = own && f.name == "openai"
	p.party = wire.Party{Provider: f.name, Key: key, KeyRemedy: f.keyRemedy()}
	for name, value := range body {
		p.extra = append(p.extra, option.WithJSONSet(name, value))
	}
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(wire.Client(s.HTTPClient, idle)),
		option.WithMaxRetries(0),
	}
	if !key.IsZero() {
		opts = append(opts, option.WithAPIKey(key.Reveal()))
	}
	p.completions = sdk.NewChatCompletionService(opts...)
	return p, nil
}

func (f flavour) keyRemedy() string {
	if f.keyEnv == "" {
		return "Ask the operator to check the model's extra_kwargs.api_key."
	}
	return fmt.Sprintf("Ask the operator to set %s (or the model's extra_kwargs.api_key) to a valid key.", f.keyEnv)
}

func (p *provider) Name() string { return p.party.Provider }

func (p *provider) Stream(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
	party := p.party.For(req.Model, p.id)
	if sink == nil {
		sink = func(model.Event) {}
	}
	a := answer{provider: party.Provider, model: party.Model, sink: sink}
	if p.keyMissing {
		return a.partial(), party.MissingKey()
	}
	if err := ctx.Err(); err != nil {
		return a.partial(), party.Broken(ctx, err)
	}
	var reply *http.Response
	opts := append([]option.RequestOption{option.WithResponseInto(&reply)}, p.extra...)
	stream := p.completions.NewStreaming(ctx, p.params(ctx, req, party.Model), opts...)
	defer stream.Close()
	for stream.Next() {
		a.take(stream.Current())
	}
	if err := stream.Err(); err != nil {
		return a.partial(), failure(ctx, party, reply, err)
	}
	if a.finish == "" {
		return a.partial(), party.Broken(ctx, errors.New("the stream ended before a finish_reason"))
	}
	return a.response(), nil
}
