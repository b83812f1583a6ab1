package command

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// Sentences 1 to 3 under every order of events, work and deaths: an effect at
// most once, one answer to each command, and the truth about what is not known.
func TestSchedules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	schedule := 0
	rapid.Check(t, func(rt *rapid.T) {
		schedule++ // every schedule has events of its own, and ends with nothing open
		ctx := context.Background()
		effects, died := map[string]int{}, map[string]bool{}
		effect := func(c Call) { effects[c.EventID]++ }
		var point string
		var kill context.CancelFunc
		w.desk.Registry = registryWith(rt, func(ctx context.Context, c Call) (string, error) {
			if point == "before the effect" {
				kill()
			}
			if ctx.Err() != nil {
				died[c.EventID] = true
				return "", ctx.Err()
			}
			effect(c)
			if point == "after the effect" {
				kill()
				died[c.EventID] = true
				return "", ctx.Err()
			}
			return "changed", nil
		})
		restart := func() {
			registry := w.desk.Registry
			parts := w.desk.Parts
			w.desk = NewDesk(parts)
			w.desk.Registry = registry
			if err := w.desk.takeUp(ctx); err != nil {
				rt.Fatal(err)
			}
		}
		accepted := map[string]bool{}
		work := func() bool {
			var waiting []row
			if err := w.db.Read(ctx, func(q *store.Reader) (err error) { waiting, err = open(q, Accepted); return err }); err != nil {
				rt.Fatal(err)
			}
			if len(waiting) == 0 {
				return false
			}
			inner, cancel := context.WithCancel(ctx)
			defer cancel()
			kill = cancel
			if !w.desk.work(inner, waiting[0]) {
				restart()
			}
			return true
		}
		rt.Repeat(map[string]func(*rapid.T){
			"hears": func(rt *rapid.T) {
				n := rapid.IntRange(1, 6).Draw(rt, "event")
				event, text := fmt.Sprintf("$%d of %d", n, schedule), "!change"
				if n > 4 {
					text = "!help"
				}
				accepted[event] = n > 4
				w.says(Request{EventID: event, Room: ops, Sender: ann, Text: text})
			},
			"works": func(rt *rapid.T) { point = ""; work() },
			"dies": func(rt *rapid.T) {
				point = rapid.SampledFrom([]string{"before the effect", "after the effect"}).Draw(rt, "point")
				work()
			},
			"restarts": func(*rapid.T) { restart() },
		})
		point = ""
		for work() {
		}
		for event, tells := range accepted {
			want, text := Answered, "changed"
			switch {
			case died[event]:
				want, text = Uncertain, textUncertain
			case tells:
				text = ""
			}
			d, ok := w.delivery("command:" + event)
			if got := w.state(event); got != want || effects[event] > 1 || !ok || text != "" && chat.Body(d.Content) != text {
				rt.Fatalf("%s is %s with %d effects and the answer %q", event, got, effects[event], chat.Body(d.Content))
			}
		}
	})
}

func registryWith(rt *rapid.T, run func(context.Context, Call) (string, error)) *Registry {
	r, err := NewRegistry(Help(), Command{Name: "change", Brief: "b", Help: "h", Who: Anybody, Changes: Always, Run: run})
	if err != nil {
		rt.Fatal(err)
	}
	return r
}
