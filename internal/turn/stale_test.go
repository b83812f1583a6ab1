package turn

import (
	"encoding/json"
	"strings"
	"testing"

	"mindroom/internal/mode"
	"mindroom/internal/store"
)

// shown is the newest text of the message in which a turn grows.
func (b *bundle) shown(id string) string {
	b.t.Helper()
	var raw string
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) error {
		return q.QueryRow(`SELECT content FROM chat_deliveries WHERE target_delivery = $1 OR id = $1 ORDER BY seq DESC LIMIT 1`, firstDelivery(id)).Scan(&raw)
	}))
	var content struct {
		Body string `json:"body"`
		New  struct {
			Body string `json:"body"`
		} `json:"m.new_content"`
	}
	must(b.t, json.Unmarshal([]byte(raw), &content))
	if content.New.Body != "" {
		return content.New.Body
	}
	return content.Body
}

// An edit that was on its way when the turn was parked does not cover what the
// turn waits for, in whichever way it waits.
func TestALateEditCoversNothing(t *testing.T) {
	t.Parallel()
	for name, lay := range map[string]func(t *testing.T) *bundle{
		"a call of the turn": func(t *testing.T) *bundle {
			b := newAsking(t, "", nil)
			b.model.plays(calls("gated", `{"key":"a"}`))
			return b
		},
		"a call of a command": func(t *testing.T) *bundle {
			b := newMinimal(t, mode.Minimal, nil)
			b.model.plays(calls("bash", bash(`& probe.gated {"key":"g"}`)))
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := lay(t)
			id := b.ask("$1", "do it")
			b.parks(id)
			late := newResponse(b.engine, id, lane{"watcher", ""})
			late.row = b.row(id)
			var grown view
			grown.write("I am about to")
			late.showProgress(grown)
			if got := b.shown(id); !strings.HasSuffix(got, "Waiting for approval: `gated`") {
				t.Errorf("the room reads %q", got)
			}
		})
	}
}
