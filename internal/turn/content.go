package turn

import (
	"context"
	"encoding/json"

	"mindroom/internal/chat"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// placeholderText is what an answer reads before its first word.
const placeholderText = "Thinking..."

// Bounds, in bytes, of what accompanies an answer: the text should have most of
// the event.
const (
	visibleBytes = 4 << 10
	traceBytes   = 6 << 10
)

// firstDelivery names the message that shows the answer, lastDelivery the edit
// that ends it, wholeDelivery the message that carries all of an answer too long
// for one. They are the same in every process that works on the turn, so that
// none is ever sent twice.
func firstDelivery(turn string) string { return "turn:" + turn + ":0" }
func lastDelivery(turn string) string  { return "turn:" + turn + ":end" }
func wholeDelivery(turn string) string { return "turn:" + turn + ":whole" }

func (r *response) placeholder() chat.Delivery {
	content := message.Text(placeholderText, append(relation(r.row, r.cp), message.Notice(),
		message.With(message.KeyStreamStatus, message.StatusPending),
		message.With(message.KeyDelivery, firstDelivery(r.id)))...)
	return r.e.delivery(r.row, firstDelivery(r.id), "", content)
}

// showProgress puts the answer so far into the outbox. It fails silently: the
// end of the answer shows everything again. An edit that was on its way while the
// turn was parked or ended shows nothing: what the turn waits for stands there.
func (r *response) showProgress(v view) {
	content := message.Text(r.visible(&v), append(r.e.trace(r.shows(), v), message.Notice(),
		message.With(message.KeyStreamStatus, message.StatusStreaming),
		message.With(message.KeyDelivery, firstDelivery(r.id)))...)
	delivery := r.e.delivery(r.row, "", firstDelivery(r.id), content)
	err := r.e.DB.Write(context.Background(), func(tx *store.Tx) error {
		var now State
		if err := tx.QueryRow(`SELECT state FROM turns WHERE turn_id = $1`, r.id).Scan(&now); err != nil || !now.worked() {
			return err
		}
		_, err := r.e.Outbox.EnqueueProgress(tx, delivery)
		return err
	})
	if err != nil {
		r.e.Log.Debug("an edit in progress was lost", "turn", r.id, "err", err)
	}
}

// visible is the answer as the room shows it while it grows.
func (r *response) visible(v *view) string {
	if text := r.e.growing(v.render(r.shows())); text != "" {
		return text
	}
	return placeholderText
}

func (r *response) shows() bool { return r.e.showsCalls(r.row.agent) }

// showsCalls is the newest configuration's word on showing calls of an agent;
// they are shown where it has none.
func (e *Engine) showsCalls(agent string) bool {
	a := e.Config.Current().Config.Agents[agent]
	return a == nil || a.ShowToolCalls
}

// relation places the answer: in its thread as a reply to what it answers, or
// plainly in the room. There it does not reply, because clients without
// threads would then quote the question above every answer.
func relation(row row, cp Checkpoint) []message.Option {
	if row.threadRoot == "" {
		return nil
	}
	if cp.Selection != nil {
		return []message.Option{message.ThreadReply(row.threadRoot, cp.Selection.ReplyTo)}
	}
	return []message.Option{message.ThreadReply(row.threadRoot, row.trigger)}
}

func (e *Engine) delivery(row row, id, target string, content message.Content) chat.Delivery {
	d := chat.Delivery{
		ID: id, Conversation: chat.Conversation{Account: row.account, Room: row.room, ThreadRoot: row.threadRoot},
		Kind: chat.KindMessage, Type: "m.room.message", Content: content.Raw(),
	}
	if target != "" {
		d.Kind, d.Target.Delivery = chat.KindEdit, target
	}
	return d
}

// trace is the structured mirror of the calls, the newest that fit; nothing
// where calls are hidden or there are none.
func (e *Engine) trace(calls bool, v view) []message.Option {
	entries := v.entries()
	if !calls || len(entries) == 0 {
		return nil
	}
	first, size := len(entries), 0
	for first > 0 {
		raw, err := json.Marshal(entries[first-1])
		if size += len(raw); err != nil || size > traceBytes {
			break
		}
		first--
	}
	trace := message.NewTrace(entries[first:])
	trace.Truncated = trace.Truncated || first > 0
	return []message.Option{message.With(message.KeyToolTrace, trace)}
}

// run is the account of an answer (spec/runtime.md 3.11).
type run struct {
	Version int      `json:"version"`
	ID      string   `json:"run_id"`
	Session string   `json:"session_id"`
	Status  string   `json:"status"`
	Model   modelRef `json:"model"`
	Usage   runUsage `json:"usage"`
	Tools   int      `json:"tool_count"`
}

type runUsage struct {
	Input     int64 `json:"input_tokens"`
	Output    int64 `json:"output_tokens"`
	Total     int64 `json:"total_tokens"`
	Cached    int64 `json:"cache_read_tokens"`
	Written   int64 `json:"cache_write_tokens"`
	Reasoning int64 `json:"reasoning_tokens"`
}

func runOf(row row, cp Checkpoint, end ending) run {
	u := cp.Usage
	input := u.Input + u.CacheRead + u.CacheWrite
	return run{
		Version: 1, ID: row.id, Session: row.conversation, Status: string(end.status()), Model: cp.Model,
		Usage: runUsage{input, u.Output, input + u.Output, u.CacheRead, u.CacheWrite, u.Reasoning},
		Tools: cp.Made,
	}
}
