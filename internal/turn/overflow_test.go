package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/model"
	"mindroom/internal/store"
)

// windowed is a bundle whose model says its window.
func windowed(t *testing.T, window int) *bundle {
	t.Helper()
	var b *bundle
	b = newBundle(t, "", func(p *Parts) {
		p.Models = func(*config.Snapshot, string, string) (Model, error) {
			return Model{Provider: b.model, Name: "default", Kind: "scripted", ID: "demo", Window: window}, nil
		}
	})
	return b
}

// talk puts earlier messages of a kilobyte each into the thread.
func (b *bundle) talk(n int) {
	b.t.Helper()
	for i := range n {
		heard(b.t, b.db, "$root", fmt.Sprintf("$talk%d", i), ann, map[string]any{"msgtype": "m.text", "body": fmt.Sprintf("earlier %d %s", i, strings.Repeat("word ", 200))})
	}
}

// refuses fails as a provider does whose window is full.
func refuses(kind model.Kind) answer {
	return func(context.Context, model.Request, func(model.Event)) (model.Response, error) {
		return model.Response{}, &model.Error{Kind: kind, Provider: "scripted", Status: 400}
	}
}

// Sentence 12: less and less is asked, the message to answer always.
func TestALongConversationIsShortened(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		window, talk int
		answers      []answer
		want         State
		reason       Reason
		asked        int
	}{
		"said by the provider":    {0, 40, []answer{refuses(model.KindContextOverflow), refuses(model.KindContextOverflow), says("Yes.")}, Answered, "", 3},
		"no code for it":          {12_000, 40, []answer{refuses(model.KindBadRequest), says("Yes.")}, Answered, "", 2},
		"no code, twice":          {12_000, 40, []answer{refuses(model.KindBadRequest), refuses(model.KindBadRequest), says("Yes.")}, Answered, "", 3},
		"never short enough":      {12_000, 40, []answer{refuses(model.KindBadRequest), refuses(model.KindBadRequest), refuses(model.KindBadRequest), refuses(model.KindBadRequest)}, Failed, ReasonProvider + "bad_request", 4},
		"another bad request":     {100_000, 3, []answer{refuses(model.KindBadRequest)}, Failed, ReasonProvider + "bad_request", 1},
		"window not configured":   {0, 3, []answer{refuses(model.KindBadRequest)}, Failed, ReasonProvider + "bad_request", 1},
		"nothing is short enough": {0, 40, []answer{refuses(model.KindContextOverflow), refuses(model.KindContextOverflow), refuses(model.KindContextOverflow), refuses(model.KindContextOverflow)}, Failed, ReasonProvider + "context_overflow", 4},
		"nothing to leave out":    {0, 0, []answer{refuses(model.KindContextOverflow)}, Failed, ReasonProvider + "context_overflow", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := windowed(t, c.window)
			b.talk(c.talk)
			b.model.plays(c.answers...)
			id := b.ask("$1", "the question")
			b.ends(id, c.want)
			if got := b.row(id).reason; got != string(c.reason) {
				t.Errorf("the reason is %q, want %q", got, c.reason)
			}
			asked := b.model.asked()
			if len(asked) != c.asked {
				t.Fatalf("the model was asked %d times, want %d", len(asked), c.asked)
			}
			for i, q := range asked {
				if !strings.Contains(q.Messages[len(q.Messages)-1].Text(), "the question") {
					t.Errorf("question %d lacks the message to answer", i+1)
				}
				if i > 0 && model.Estimate(q) >= model.Estimate(asked[i-1]) {
					t.Errorf("question %d is not shorter than the one before", i+1)
				}
			}
			if c.want == Failed && c.reason == ReasonProvider+"context_overflow" && !strings.Contains(b.said(id), "Start a new thread") {
				t.Errorf("the room reads %q", b.said(id))
			}
		})
	}
}

// What tools brought in can be too long as well: calls stay with their results,
// which are cut, and no tool runs again. So much is suspected even where no
// window is configured and the provider has no code for it.
func TestLongResultsAreShortened(t *testing.T) {
	t.Parallel()
	for _, kind := range []model.Kind{model.KindContextOverflow, model.KindBadRequest} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			longResultsAreShortened(t, kind)
		})
	}
}

func longResultsAreShortened(t *testing.T, kind model.Kind) {
	b := windowed(t, 0)
	var pairs []string
	for i := range 8 {
		pairs = append(pairs, "big", fmt.Sprintf(`{"key":"k%d"}`, i))
	}
	b.model.plays(calls(pairs...), refuses(kind), says("Done."))
	id := b.ask("$1", "read it all")
	b.ends(id, Answered)
	asked := b.model.asked()
	before, after := asked[1], asked[2]
	if model.Estimate(after) > model.Estimate(before)/2 {
		t.Errorf("%d tokens after %d", model.Estimate(after), model.Estimate(before))
	}
	results := after.Messages[len(after.Messages)-1].Results()
	if len(results) != 8 || len(after.Messages[len(after.Messages)-2].Calls()) != 8 {
		t.Fatalf("the calls are not with their results: %+v", after.Messages)
	}
	for i, r := range results {
		if !strings.HasSuffix(r.Text, shortenedNote) || len(r.Text) > 9<<10 {
			t.Errorf("result %d has %d bytes", i, len(r.Text))
		}
		if n := b.tools.times(fmt.Sprintf("k%d", i)); n != 1 {
			t.Errorf("call %d ran %d times", i, n)
		}
	}
	if n := len(before.Messages[len(before.Messages)-1].Results()[0].Text); n < 40<<10 {
		t.Errorf("the results were %d bytes before", n)
	}
}

// A question that plainly exceeds the window is not asked as it is.
func TestAPlainlyTooLongQuestionIsNotAsked(t *testing.T) {
	t.Parallel()
	b := windowed(t, 20_000)
	b.model.plays(calls("big", `{"key":"a"}`, "big", `{"key":"b"}`, "big", `{"key":"c"}`), says("Done."))
	id := b.ask("$1", "read it all")
	b.ends(id, Answered)
	asked := b.model.asked()
	if len(asked) != 2 || model.Estimate(asked[1]) > 20_000 {
		t.Errorf("asked %d times, last with about %d tokens", len(asked), model.Estimate(asked[len(asked)-1]))
	}
}

// What was said is not said again.
func TestAnOverflowAfterTextEndsTheTurn(t *testing.T) {
	t.Parallel()
	b := windowed(t, 0)
	b.talk(40)
	b.model.plays(func(_ context.Context, _ model.Request, sink func(model.Event)) (model.Response, error) {
		sink(model.Event{Text: "Well, "})
		return model.Response{}, &model.Error{Kind: model.KindContextOverflow, Provider: "scripted"}
	})
	id := b.ask("$1", "the question")
	b.ends(id, Failed)
	if s := b.said(id); !strings.HasPrefix(s, "Well,") || strings.Count(s, "Well") != 1 || len(b.model.asked()) != 1 {
		t.Errorf("the room reads %q", s)
	}
}

// The message to answer may be redacted while the model thinks about it.
func TestNothingIsShortenedOfAMessageThatIsGone(t *testing.T) {
	t.Parallel()
	b := windowed(t, 0)
	b.talk(5)
	b.model.plays(func(context.Context, model.Request, func(model.Event)) (model.Response, error) {
		redact(t, b.db, "$1")
		return model.Response{}, &model.Error{Kind: model.KindContextOverflow, Provider: "scripted"}
	})
	id := b.ask("$1", "the question")
	b.ends(id, Failed)
	if n := len(b.model.asked()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A shortened conversation is what a later start goes on with.
func TestTheShorterConversationIsCheckpointed(t *testing.T) {
	t.Parallel()
	b := windowed(t, 0)
	b.talk(40)
	reached := make(chan struct{})
	b.model.plays(refuses(model.KindContextOverflow), calls("echo", `{"key":"a"}`), hangs("", reached))
	id := b.ask("$1", "the question")
	<-reached
	var raw string
	must(t, b.db.Read(t.Context(), func(q *store.Reader) error {
		return q.QueryRow(`SELECT checkpoint FROM turns WHERE turn_id = $1`, id).Scan(&raw)
	}))
	var cp struct {
		Messages json.RawMessage `json:"messages"`
	}
	must(t, json.Unmarshal([]byte(raw), &cp))
	if whole := model.Estimate(b.model.asked()[0]); len(cp.Messages)/4 > whole*3/4 {
		t.Errorf("the checkpoint has about %d tokens of %d", len(cp.Messages)/4, whole)
	}
	b.cancels(id, true)
	b.ends(id, Cancelled)
}

// A refusal that is taken for an overflow may have been about a picture after all.
func TestARefusedPictureInALongConversation(t *testing.T) {
	t.Parallel()
	const window = 2500 // one picture is more than half of it
	folder := filepath.Join(t.TempDir(), "media")
	box := &mailbox{files: map[string]string{"mxc://x/cat": png}}
	b := newBundle(t, "", func(p *Parts) {
		keeping(folder)(p)
		p.Download = box.download
		find := sighted(p.Models, model.Sight{Pictures: true})
		p.Models = func(s *config.Snapshot, agent, room string) (Model, error) {
			m, err := find(s, agent, room)
			m.Window = window
			return m, err
		}
	})
	refuse := refuses(model.KindBadRequest)
	b.model.plays(refuse, says("I cannot see it."))
	b.ends(b.shows("$root", "$cat", "mxc://x/cat", nil), Answered)
	asked := b.model.asked()
	if shown, _ := pictures(t, asked[0]); len(shown) != 1 || 2*model.Estimate(asked[0]) < window {
		t.Fatalf("the first question shows %d pictures in about %d tokens", len(shown), model.Estimate(asked[0]))
	}
	if shown, text := pictures(t, asked[len(asked)-1]); len(shown) != 0 || !strings.Contains(text, noteRefused) {
		t.Errorf("the last question shows %d pictures: %s", len(shown), text)
	}
}
