package interactive

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mindroom/internal/store"
)

// known is what a question should be, by the sentences of doc.go.
type known struct {
	person, thread string
	state          State
	chosen         int
	at             time.Time
}

// TestSchedules plays generated schedules of questions, answers, choices and time
// against a plain model of the package's sentences.
func TestSchedules(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		h.t, h.started, h.restated = rapidTB{t, rt}, nil, map[string]string{}
		h.must(h.db.Write(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec(`DELETE FROM interactive_questions`)
			return err
		}))
		model := map[string]*known{}
		var turns []string
		events, started := 0, 0
		person := rapid.SampledFrom([]string{ann, ben})
		thread := rapid.SampledFrom([]string{"", "$a"})
		turn := func(rt *rapid.T) string {
			if len(turns) == 0 {
				return "none"
			}
			return rapid.SampledFrom(turns).Draw(rt, "turn")
		}
		closes := func(person, thread, but string) {
			for name, k := range model {
				if name != but && k.state == Open && k.person == person && k.thread == thread {
					k.state = Closed
				}
			}
		}
		// takes is what a word does to the one question that it is about.
		takes := func(k *known, option int, reaction bool) {
			switch {
			case k == nil || k.state != Open || option < 0 || option >= len(language.Options):
			case h.now.Sub(k.at) >= lasting && reaction:
				k.state = Expired
			case h.now.Sub(k.at) >= lasting:
			default:
				k.state, k.chosen = Answered, option
				started++
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"ask": func(rt *rapid.T) {
				p, where := person.Draw(rt, "person"), thread.Draw(rt, "thread")
				name := fmt.Sprintf("t%d-%d", run, len(turns))
				turns = append(turns, name)
				closes(p, where, name)
				h.asks(asked(name, p, where))
				model[name] = &known{p, where, Open, -1, h.now}
			},
			"answer": func(rt *rapid.T) {
				p, where := person.Draw(rt, "person"), thread.Draw(rt, "thread")
				closes(p, where, "")
				h.must(h.db.Write(context.Background(), func(tx *store.Tx) error { return h.desk.Close(tx, asked("other", p, where)) }))
			},
			"react": func(rt *rapid.T) {
				events++
				p, name, option := person.Draw(rt, "person"), turn(rt), rapid.IntRange(-1, 1).Draw(rt, "option")
				key := "👍"
				if option >= 0 {
					key = language.Options[option].Emoji
				}
				if k := model[name]; k != nil && k.person == p {
					takes(k, option, true)
				}
				h.hears(react(fmt.Sprintf("$%d", events), p, name, key))
			},
			"reply": func(rt *rapid.T) {
				events++
				p, name, n := person.Draw(rt, "person"), turn(rt), rapid.IntRange(0, 3).Draw(rt, "number")
				if k := model[name]; k != nil && k.person == p {
					takes(k, n-1, false)
				}
				h.hears(reply(fmt.Sprintf("$%d", events), p, name, fmt.Sprint(n)))
			},
			"say": func(rt *rapid.T) {
				events++
				p, where, n := person.Draw(rt, "person"), thread.Draw(rt, "thread"), rapid.IntRange(0, 3).Draw(rt, "number")
				for _, k := range model {
					if k.state == Open && k.person == p && k.thread == where {
						takes(k, n-1, false)
						break
					}
				}
				h.hears(say(fmt.Sprintf("$%d", events), p, where, fmt.Sprint(n)))
			},
			"wait": func(rt *rapid.T) {
				h.now = h.now.Add(rapid.SampledFrom([]time.Duration{time.Minute, lasting / 2}).Draw(rt, "time"))
			},
			"send": func(*rapid.T) { h.sends() },
			"": func(rt *rapid.T) {
				var all []Asked
				h.must(h.db.Read(context.Background(), func(q *store.Reader) (err error) {
					all, err = list(q, "")
					return err
				}))
				if len(all) != len(model) {
					rt.Fatalf("%d questions, want %d", len(all), len(model))
				}
				for _, a := range all {
					name, k := a.Turn, model[a.Turn]
					if a.State != k.state || a.Chosen != k.chosen {
						rt.Fatalf("%s is %s with %d, want %s with %d", name, a.State, a.Chosen, k.state, k.chosen)
					}
					if _, told := h.restated[name]; told == (k.state == Open) {
						rt.Fatalf("%s is %s and shown as over: %v", name, k.state, told)
					}
				}
				if len(h.started) != started {
					rt.Fatalf("%d turns started, want %d", len(h.started), started)
				}
			},
		})
	})
}

// rapidTB is the test of a house within a schedule: what is fatal fails that.
type rapidTB struct {
	testing.TB
	rt *rapid.T
}

func (r rapidTB) Helper() {}

func (r rapidTB) Fatal(args ...any) {
	if err, ok := args[0].(error); ok && errors.Is(err, errOvertaken) {
		r.rt.Fatal("a word was judged open and found ended with nothing between: ", err)
	}
	r.rt.Fatal(args...)
}
