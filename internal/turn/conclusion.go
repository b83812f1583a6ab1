package turn

import (
	"context"
	"strings"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// answerFile is the name of the file that carries the whole of a long answer.
const (
	answerFile = "answer.md"
	answerType = "text/markdown"
)

// conclusion is the end of a turn as the room gets it.
type conclusion struct {
	// final ends the answer: an edit of its placeholder, or its only message.
	final chat.Delivery
	// asked is what final asks; nil for nothing.
	asked *question
	// whole carries all of a text that final has to cut; nil for none.
	whole *chat.Delivery
}

// conclusion puts the end of a turn into words. Of a text too long for one message
// it keeps the whole as a file (spec/runtime.md 3.12); where that fails the message
// shows the beginning alone and says so.
func (e *Engine) conclusion(ctx context.Context, row row, cp Checkpoint, end ending) conclusion {
	v, asked := e.question(cp.View, end)
	body, options := e.words(row, cp, end, v, asked)
	content := message.Text(body, options...)
	var whole *chat.Delivery
	if content[message.KeyCut] != nil && e.Media != nil {
		ref, err := e.Media.Put(context.WithoutCancel(ctx), strings.NewReader(asked.under(body)), answerType, answerFile)
		if err != nil {
			e.Log.Error("the whole of a long answer cannot be kept; the room gets its beginning", "turn", row.id, "err", err)
		} else {
			content = message.Text(body, append(options, message.Attached(answerFile))...)
			shown, _ := content["body"].(string)
			d := e.delivery(row, wholeDelivery(row.id), "", message.File(
				message.FileInfo{Kind: string(media.File), Name: answerFile, MIME: answerType, Size: ref.Size},
				message.With(message.KeyDelivery, wholeDelivery(row.id)),
				message.With(message.KeyLongText, message.NewLongText(len(asked.under(body)), len(shown)))))
			d.Attach = ref
			whole = &d
		}
	}
	if cp.Streamed {
		return conclusion{e.delivery(row, lastDelivery(row.id), firstDelivery(row.id), content), asked, whole}
	}
	return conclusion{e.delivery(row, firstDelivery(row.id), "", content), asked, whole}
}

// words are the text of an ended answer, seen as v and without what it asks, and
// what its message says besides.
func (e *Engine) words(row row, cp Checkpoint, end ending, v view, asked *question) (string, []message.Option) {
	calls := e.showsCalls(row.agent)
	var parts []string
	for _, part := range []string{v.render(calls), end.note} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 && asked == nil {
		parts = append(parts, "(Done.)") // a call ended the turn without a word
	}
	options := append(e.trace(calls, v),
		message.With(message.KeyStreamStatus, end.status()),
		message.With(message.KeyDelivery, firstDelivery(row.id)),
		message.With(message.KeyRun, runOf(row, cp, end)))
	if e.Names != nil {
		options = append(options, message.Names(e.Names))
	}
	options = append(options, asked.options(row, cp)...)
	text := asked.under(v.text())
	if calls && len(v.entries()) > 0 && len(text) <= visibleBytes {
		options = append(options, message.With(message.KeyVisibleBody, text))
	}
	if !cp.Streamed {
		options = append(options, relation(row, cp)...)
	}
	return strings.Join(parts, "\n\n"), options
}

// enqueue puts the conclusion into the outbox, in the transaction of the turn's end.
func (e *Engine) enqueue(tx *store.Tx, row row, c conclusion) error {
	if _, err := e.Outbox.Enqueue(tx, c.final); err != nil || c.whole == nil {
		return err
	}
	if err := e.Media.Own(tx, wholeOf(row), c.whole.Attach); err != nil {
		return err
	}
	_, err := e.Outbox.Enqueue(tx, *c.whole)
	return err
}

// wholeOf is the owner of a long answer's file.
func wholeOf(row row) media.Owner {
	return media.Owner{Kind: media.OwnedByTurn, ID: row.id, Room: row.room, Thread: row.threadRoot, Requester: row.who.Requester}
}
