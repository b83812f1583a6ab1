package modeltest

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"mindroom/internal/model"
)

// FuzzStream feeds a provider with streams that no server should send: it neither panics nor returns an answer that
// cannot be stored, and every failure is typed.
func FuzzStream(f *testing.F, d Dialect) {
	for _, reply := range []Reply{story(), {}, {Text: []string{"a"}, RawStop: "x", Usage: model.Usage{Input: 1}}} {
		f.Add(strings.Join(d.Frames(reply), ""))
	}
	f.Add(d.ErrorFrame)
	f.Fuzz(func(t *testing.T, body string) {
		p, err := d.New("http://model.example", patience, model.Settings{
			Getenv:     Environment(d.Env, Key),
			HTTPClient: &http.Client{Transport: Canned([]byte(body))},
		})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := p.Stream(t.Context(), Ask(), func(model.Event) {})
		var failure *model.Error
		if err != nil && (!errors.As(err, &failure) || failure.Kind == "" || len(resp.Message.Calls()) > 0) {
			t.Fatalf("error %v with %+v", err, resp)
		}
		if err == nil && resp.Stop == "" {
			t.Fatalf("an answer that did not stop: %+v", resp)
		}
		seen := make(map[string]bool)
		for _, c := range resp.Message.Calls() {
			if c.ID == "" || seen[c.ID] {
				t.Fatalf("call id %q is empty or there twice", c.ID)
			}
			seen[c.ID] = true
		}
		if _, err := resp.Message.MarshalJSON(); err != nil {
			t.Fatalf("the answer cannot be stored: %v", err)
		}
	})
}
