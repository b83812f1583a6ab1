package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"mindroom/internal/model"
	"mindroom/internal/model/wire"
	"mindroom/internal/secret"
)

// Name is the provider's name in the configuration and in opaque parts.
const Name = "anthropic"

const (
	officialURL = "https://api.anthropic.com"
	keyRemedy   = "Ask the operator to set ANTHROPIC_API_KEY (or the model's extra_kwargs.api_key) to a valid key."
	// defaultMaxTokens is sent when nobody says otherwise, because the API insists on a number that every current model
	// accepts.
	defaultMaxTokens = 8192
)

type provider struct {
	messages    sdk.MessageService
	party       wire.Party // without a model
	id          string
	keyMissing  bool
	maxTokens   int
	temperature *float64
	topP        *float64
	topK        int
	extra       []option.RequestOption
}

var _ model.Constructor = New

// New builds the provider. The key comes from extra_kwargs.api_key, else from ANTHROPIC_API_KEY; a server of one's own
// (`host` or extra_kwargs.base_url) needs none.
func New(s model.Settings) (model.Provider, error) {
	k := model.ReadKwargs(s.ExtraKwargs)
	p := &provider{
		id:          s.ID,
		maxTokens:   k.Int("max_tokens"),
		temperature: k.Float("temperature"),
		topP:        k.Float("top_p"),
		topK:        k.Int("top_k"),
	}
	key, base, idle := secret.New(k.String("api_key")), k.String("base_url"), k.Seconds("idle_timeout", model.IdleTimeout)
	thinking, effort, body := k.Object("thinking"), k.String("effort"), k.Object("extra_body")
	if err := k.Err(); err != nil {
		return nil, err
	}
	if base == "" {
		base = s.Host
	}
	if key.IsZero() {
		key = secret.New(s.Env("ANTHROPIC_API_KEY"))
	}
	p.keyMissing = key.IsZero() && base == ""
	if base == "" {
		base = officialURL
	}
	if u, err := url.Parse(base); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the base address must look like https://host or http://host:port")
	}
	p.party = wire.Party{Provider: Name, Key: key, KeyRemedy: keyRemedy}
	p.messages = sdk.NewMessageService(options(key, base, wire.Client(s.HTTPClient, idle))...)
	p.extra = bodyOptions(thinking, effort, body)
	return p, nil
}

func options(key secret.Value, base string, client *http.Client) []option.RequestOption {
	opts := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(client),
		option.WithMaxRetries(0),
	}
	if !key.IsZero() {
		opts = append(opts, option.WithAPIKey(key.Reveal()))
	}
	return opts
}

func bodyOptions(thinking map[string]json.RawMessage, effort string, body map[string]json.RawMessage) []option.RequestOption {
	var opts []option.RequestOption
	if thinking != nil {
		opts = append(opts, option.WithJSONSet("thinking", thinking))
	}
	if effort != "" {
		opts = append(opts, option.WithJSONSet("output_config.effort", effort))
	}
	for name, value := range body {
		opts = append(opts, option.WithJSONSet(name, value))
	}
	return opts
}

func (p *provider) Name() string { return Name }

func (p *provider) Stream(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
	party := p.party.For(req.Model, p.id)
	if sink == nil {
		sink = func(model.Event) {}
	}
	if p.keyMissing {
		return empty(), party.MissingKey()
	}
	if err := ctx.Err(); err != nil {
		return empty(), party.Broken(ctx, err)
	}
	stream := p.messages.NewStreaming(ctx, p.params(ctx, req, party.Model), p.extra...)
	defer stream.Close()
	a := answer{model: party.Model, sink: sink}
	for stream.Next() {
		a.take(stream.Current())
	}
	if err := stream.Err(); err != nil {
		return a.partial(), failure(ctx, party, err)
	}
	if !a.complete {
		return a.partial(), party.Broken(ctx, fmt.Errorf("the stream ended before message_stop"))
	}
	return a.response(), nil
}

func empty() model.Response {
	return model.Response{Message: model.Message{Role: model.RoleAssistant}}
}
