package main

import (
	"context"
	"time"

	"mindroom/internal/model"
)

// modelAdvice says for each kind of a provider's failure whether the model is
// asked again, and what an operator does.
var modelAdvice = map[string]string{
	"auth":             "No. Set the key that the sentence names, or give it the permissions.",
	"rate_limit":       "Yes; no if the provider asks for more than 20 seconds or the account is spent. Raise the limit there, or add credit.",
	"overloaded":       "Yes. Nothing to do here.",
	"context_overflow": "Yes, with less of the conversation and of earlier results, three times at most. Set the model's `context_window`.",
	"bad_request":      "No, but once without its files if it had any; and a request of about the size of the `context_window` (128,000 tokens if there is none) is taken for `context_overflow`. The log has the provider's own words.",
	"network":          "Yes. Check the address (`host`, `base_url`), the proxy and the network.",
	"timeout":          "Yes, once: 120 seconds without a byte (`idle_timeout` in `extra_kwargs`) end an attempt, and none lasts longer than 30 minutes.",
	"refused":          "No.",
	"cancelled":        "No. Somebody ended the answer.",
	"other":            "No. The log has the provider's own words.",
}

// modelKinds is the table of provider failures with what the room reads.
func modelKinds(_ context.Context, root string) (string, error) {
	kinds, err := constants(root, "internal/model/errors.go", "Kind")
	if err != nil {
		return "", err
	}
	if _, err := advised(kinds, modelAdvice, ""); err != nil {
		return "", err
	}
	var rows [][]string
	for _, k := range kinds {
		e := model.Error{Kind: model.Kind(k.Value), Provider: "anthropic", Model: "some-model"}
		if e.Kind == model.KindAuth {
			e.Status, e.Remedy = 401, "Ask the operator to set ANTHROPIC_API_KEY (or the model's extra_kwargs.api_key) to a valid key."
		}
		if e.Kind == model.KindRateLimit {
			e.RetryAfter = time.Minute
		}
		rows = append(rows, []string{code(k.Value), e.Sentence(), modelAdvice[k.Value]})
	}
	return table([]string{"kind", "what the room reads, for example", "asked again? what an operator does"}, rows), nil
}
