package console

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mindroom/internal/person"
)

// chat runs a whole chat on a bubble's clock and returns what was shown.
func chat(t *testing.T, r *room, k *typist, more func(*Options)) (out, notes string, err error) {
	t.Helper()
	s := newShown()
	o := Options{Person: r, UserID: ann, Room: here, Last: 20, Answer: time.Minute, Input: k, Screen: s}
	if more != nil {
		more(&o)
	}
	err = Run(t.Context(), o)
	return strings.ReplaceAll(s.out.String(), "2026-03-01T12:00:00Z ", ""), s.notes.String(), err
}

// answer writes an answer in the way agents do.
func answer(r *room, id, root, _ string) {
	if root == "" {
		root = id
	}
	r.say(said("$a"+id, keeper, "…", root, "pending"), changed("$b"+id, keeper, "$a"+id, "It", "streaming"),
		changed("$c"+id, keeper, "$a"+id, "It is\nso.", "completed"))
}

func TestPipedChatEndsWithTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(said("$old", ann, "earlier", "", ""), said("$w", keeper, "half", "$old", "interrupted"))
		r.onSend = answer
		out, notes, err := chat(t, r, newTypist("is it so?", "", "sure?"), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := "Ann [1]: earlier\nKeeper [1]: half\nAnn [2]: is it so?\nKeeper [2]: It is\n  so.\nAnn [2]: sure?\nKeeper [2]: It is\n  so.\n"
		if out != want || notes != "" {
			t.Errorf("shown:\n%s\nnotes: %s\nwant:\n%s", out, notes, want)
		}
		if want := []string{" is it so?", "$sent0 sure?"}; !slices.Equal(r.sent, want) {
			t.Errorf("sent %q, want %q", r.sent, want)
		}
	})
}

func TestPipedChatWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]func(r *room, id, root, body string){
		"silence":       nil,
		"half":          func(r *room, id, _, _ string) { r.say(said("$h", keeper, "half", id, "streaming")) },
		"elsewhere":     func(r *room, _, _, _ string) { r.say(said("$e", keeper, "other", "$other", "")) },
		"self":          func(r *room, id, _, _ string) { r.say(said("$s", ann, "me", id, "")) },
		"someone's row": func(r *room, _, _, _ string) { r.say(member("$m", keeper, "leave", "")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRoom()
				r.onSend = say
				began := time.Now()
				_, _, err := chat(t, r, newTypist("anybody?"), nil)
				if !errors.Is(err, ErrNoAnswer) || time.Since(began) != time.Minute {
					t.Errorf("%v after %v", err, time.Since(began))
				}
			})
		})
	}
}

func TestCommands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(said("$root", ann, "first topic", "", ""), said("$in", keeper, "yes", "$root", ""))
		_, notes, err := chat(t, r, newTypist("/thread", "/thread 1", "more", "/room", "second topic", "//thread", "/t", "/thread 9", "/nonsense", "/quit", "unsent"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"$root more", " second topic", "$sent1 /thread"}; !slices.Equal(r.sent, want) {
			t.Errorf("sent %q, want %q", r.sent, want)
		}
		for _, want := range []string{"  1  Ann: first topic\n", "in thread 1: Ann: first topic\n", "in the room: ", "\n* 2  ", `there is no thread "9"`, "there is no command /nonsense"} {
			if !strings.Contains(notes, want) {
				t.Errorf("the notes lack %q:\n%s", want, notes)
			}
		}
	})
}

func TestABrokenConnectionRepeatsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(said("$old", ann, "old", "", ""))
		k := newTypist()
		k.stay = true
		r.say(said("$1", keeper, "one", "", ""), member("$m", "@new:example.org", "join", "New"))
		r.news <- nil
		r.news <- nil
		r.say(said("$2", keeper, "two", "", ""))
		var out, notes string
		var err error
		ctx, cancel := context.WithCancel(t.Context())
		s := newShown()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			err = Run(ctx, Options{Person: r, UserID: ann, Room: here, Last: 20, Input: k, Screen: s})
		}()
		time.Sleep(time.Minute) // of the bubble
		cancel()
		<-ended
		out, notes = strings.ReplaceAll(s.out.String(), "2026-03-01T12:00:00Z ", ""), s.notes.String()
		if want := "Ann: old\nKeeper: one\nKeeper: two\n"; out != want || err != nil {
			t.Errorf("shown:\n%s (%v), want:\n%s", out, err, want)
		}
		if strings.Count(notes, "New joined") != 1 || strings.Count(notes, "connection refused") != 1 {
			t.Errorf("notes:\n%s", notes)
		}
	})
}

func TestHistoryOfALongThread(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The answer was announced and finished before what the timeline still holds.
		r := newRoom(said("$new", ann, "elsewhere", "", ""))
		r.thread = []person.Event{said("$q", ann, "question", "$root", ""), said("$a", keeper, "…", "$root", "pending")}
		r.edits = map[string][]person.Event{"$a": {changed("$e", keeper, "$a", "the answer", "completed")}}
		out, _, err := chat(t, r, newTypist(), func(o *Options) { o.Thread = "$root" })
		if want := "Ann [1]: question\nKeeper [1]: the answer\n"; out != want || err != nil {
			t.Errorf("shown:\n%s (%v), want:\n%s", out, err, want)
		}
	})
}

func TestWhatIsNotSentIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom()
		r.refuse = errors.New("connection refused")
		_, notes, err := chat(t, r, newTypist("hello"), nil)
		if err != nil || !strings.Contains(notes, "not sent (connection refused): hello") {
			t.Errorf("%v, notes:\n%s", err, notes)
		}
	})
}

func TestNothingOfOthersIsObeyed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(said("$x", keeper, "a\x1b[2Jb\rc\u202ed\ne", "", ""))
		out, _, err := chat(t, r, newTypist(), nil)
		if want := `Keeper: a\x1b[2Jb\rc\u202ed` + "\n  e\n"; out != want || err != nil {
			t.Errorf("shown %q (%v), want %q", out, err, want)
		}
	})
}
