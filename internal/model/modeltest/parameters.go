package modeltest

import (
	"strings"
	"testing"

	"mindroom/internal/model"
)

// Parameters is a request, and what the body has to hold and must not name.
type Parameters struct {
	// Kwargs are the model's extra_kwargs.
	Kwargs  map[string]any
	Request model.Request
	Want    []string
	Absent  []string
}

// RunParameters sends each request to a server that answers it with frames, and looks
// at its body. build makes the provider; check, unless nil, looks at the rest.
func RunParameters(t *testing.T, frames []string, build func(model.Settings) (model.Provider, error), check func(*testing.T, *Server), cases map[string]Parameters) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(t)
			s.Frames = frames
			p, err := build(model.Settings{ID: "m", Host: s.URL, ExtraKwargs: c.Kwargs, HTTPClient: Client(t)})
			if err != nil {
				t.Fatal(err)
			}
			c.Request.Messages = []model.Message{model.UserText("x")}
			if _, err := p.Stream(t.Context(), c.Request, nil); err != nil {
				t.Fatal(err)
			}
			body := s.Bodies()[0]
			for _, want := range c.Want {
				if !strings.Contains(body, want) {
					t.Errorf("%s is not in %s", want, body)
				}
			}
			for _, absent := range c.Absent {
				if strings.Contains(body, `"`+absent+`"`) {
					t.Errorf("%s is in %s", absent, body)
				}
			}
			if check != nil {
				check(t, s)
			}
		})
	}
}
