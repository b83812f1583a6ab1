package modeltest

import (
	"testing"

	"mindroom/internal/model"
)

// Reply is what a model is made to answer, in no provider's terms.
type Reply struct {
	// Text arrives in these pieces.
	Text  []string
	Calls []Call
	// Stop is why it ends; empty means what follows from the calls.
	Stop model.Stop
	// RawStop, when set, is sent instead of the provider's word for Stop.
	RawStop string
	Usage   model.Usage
}

// Call is a tool call of a Reply, its arguments arriving in pieces.
type Call struct {
	ID        string
	Name      string
	Arguments []string
}

// EffectiveStop is Stop, or what follows from the calls.
func (r Reply) EffectiveStop() model.Stop {
	switch {
	case r.Stop != "":
		return r.Stop
	case len(r.Calls) > 0:
		return model.StopToolCalls
	}
	return model.StopEnd
}

// Subject builds a provider that will answer the next request with the reply.
type Subject func(t *testing.T, reply Reply) model.Provider
