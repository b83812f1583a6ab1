package turn

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mindroom/internal/model"
)

// fork is what a machine finds that lost its power now: a copy of the files as
// they are, under an engine of its own. The first engine goes on unaware.
func (b *bundle) fork() *bundle {
	b.t.Helper()
	path := filepath.Join(b.t.TempDir(), "m.db")
	for _, end := range []string{"", "-wal"} {
		from, err := os.Open(b.path + end)
		must(b.t, err)
		to, err := os.Create(path + end)
		must(b.t, err)
		_, err = io.Copy(to, from)
		must(b.t, err)
		must(b.t, from.Close())
		must(b.t, to.Close())
	}
	next := &bundle{fixture: &fixture{path: path, holder: b.holder, parts: b.parts}, t: b.t, model: &fakeModel{}, tools: newTestTools()}
	next.open()
	return next
}

// At whatever point the process dies, the next one gives the turn exactly one
// end and runs no call a second time.
func TestCrash(t *testing.T) {
	t.Parallel()
	hang := func(reached chan struct{}) answer { return hangs("Half a", reached) }
	cases := map[string]struct {
		first func(reached chan struct{}) []answer
		tool  bool // the point is a running tool, not a writing model
		then  []answer
		state State
		text  string
	}{
		"the model writes":   {func(r chan struct{}) []answer { return []answer{hang(r)} }, false, []answer{says("Whole.")}, Answered, "Whole."},
		"a call was refused": {func(r chan struct{}) []answer { return []answer{calls("gated", `{"key":"g"}`), hang(r)} }, false, []answer{says("Whole.")}, Answered, "Whole."},
		"a call has ended": {func(r chan struct{}) []answer {
			return []answer{calls("echo", `{"key":"e"}`, "nothing", `{}`), hang(r)}
		}, false, []answer{says("Whole.")}, Answered, "Whole."},
		"a call runs": {func(chan struct{}) []answer { return []answer{calls("hold", `{"key":"h"}`)} }, true, nil, Interrupted, noteRestart},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, "", nil)
			reached := make(chan struct{})
			b.model.plays(c.first(reached)...)
			id := b.ask("$1", "hello")
			if c.tool {
				b.arrives()
			} else {
				<-reached
			}
			next := b.fork()
			next.model.plays(c.then...)
			next.start()
			next.ends(id, c.state)
			next.oneAnswer(id, c.text)
			if len(next.tools.ran) != 0 {
				t.Errorf("after the crash %v ran again", next.tools.ran)
			}
			if len(next.model.asked()) != len(c.then) {
				t.Errorf("after the crash the model was asked %d times", len(next.model.asked()))
			}
		})
	}
}

// More turns than may run side by side wait for room.
func TestResponsesAreBounded(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	const over = 3
	began := make(chan struct{}, maxResponses+over)
	open := make(chan struct{})
	for range maxResponses + over {
		b.model.plays(func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
			began <- struct{}{}
			<-open
			return says("Done.")(ctx, req, sink)
		})
	}
	var ids []string
	for i := range maxResponses + over {
		event := "$" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		ids = append(ids, b.askIn(event, event, "hello"))
	}
	for range maxResponses {
		<-began
	}
	if n := len(b.engine.Active()); n != maxResponses {
		t.Errorf("%d run side by side", n)
	}
	close(open)
	for _, id := range ids {
		b.ends(id, Answered)
	}
}
