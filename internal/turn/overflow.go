package turn

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"mindroom/internal/excerpt"
	"mindroom/internal/model"
)

// resultBytes is to how many bytes each earlier result is cut at each
// shortening; the conversation is halved at each, and nothing but the message to
// answer is left of it at the last.
var resultBytes = []int{8 << 10, 2 << 10, 512}

// assumedWindow stands in for a window that is not configured where a refused
// question is judged by its size, in tokens: few models of today have less, so
// that a short question is not suspected.
const assumedWindow = 128_000

// shortenedNote ends a result that was cut to make room.
const shortenedNote = "\n[The rest of this result was cut: the conversation had grown longer than fits.]"

// question is what the model is asked next.
func (r *response) question(system string) model.Request {
	return model.Request{
		Agent: r.row.agent, System: system, Messages: r.seenMessages(r.cp.Messages), Tools: r.tools(),
		MaxTokens: r.model.MaxTokens, Temperature: r.model.Temperature, Media: r.e.loader(),
	}
}

// fitting is the next question, made shorter before it is asked when it plainly
// exceeds the model's window: a refusal costs a request.
func (r *response) fitting(ctx context.Context, system string) model.Request {
	q := r.question(system)
	for r.model.Window > 0 && model.Estimate(q) > r.model.Window && r.shorten(ctx) {
		q = r.question(system)
	}
	return q
}

// overflowed reports whether the question seems longer than the model's window,
// and the failure as people are told of it. Some providers have no code for that
// and refuse it as a bad request. Then the size decides, with room for the
// roughness of an estimate; and once it did, another bad request is tried shorter
// too, but is called what it is.
func (r *response) overflowed(err error, q model.Request) (error, bool) {
	var failure *model.Error
	if !errors.As(err, &failure) {
		return err, false
	}
	switch {
	case failure.Kind == model.KindContextOverflow:
		return err, true
	case failure.Kind != model.KindBadRequest || failure.Status != http.StatusBadRequest:
		return err, false
	case 2*model.Estimate(q) < cmp.Or(r.model.Window, assumedWindow):
		return err, r.suspected
	}
	r.suspected = true
	told := *failure
	told.Kind = model.KindContextOverflow
	return &told, true
}

// shorten makes the next question shorter and reports whether it did. Calls and
// their results stay in pairs; calls are kept whole, because what a call did
// must stay known.
func (r *response) shorten(ctx context.Context) bool {
	before := model.Estimate(model.Request{Messages: r.cp.Messages})
	for r.shortenings < len(resultBytes) {
		bound := resultBytes[r.shortenings]
		r.shortenings++
		limits := r.limits()
		limits.Characters >>= r.shortenings
		if r.shortenings == len(resultBytes) {
			limits.Characters = 0
		}
		conversation, err := r.gather(ctx, limits)
		if err != nil {
			// The message may be gone by now; what was asked so far stands.
			r.e.Log.Warn("a conversation cannot be shortened", "turn", r.id, "err", err)
			return false
		}
		shorter := append(conversation, cutResults(r.done(), bound)...)
		if model.Estimate(model.Request{Messages: shorter}) < before {
			r.e.Log.Info("a conversation is longer than the model can read and was shortened", "turn", r.id, "times", r.shortenings)
			r.cp.Messages = shorter
			return true
		}
	}
	return false
}

// done is what the turn itself added to what it was asked with.
func (r *response) done() []model.Message {
	if r.child != nil {
		return r.cp.Messages[task(r.cp.Messages)+1:]
	}
	return work(r.cp.Messages)
}

// work is what the turn itself added to the conversation: from the first answer
// that made calls on.
func work(messages []model.Message) []model.Message {
	for i, m := range messages {
		if len(m.Calls()) > 0 {
			return messages[i:]
		}
	}
	return nil
}

// cutResults cuts each result to the bound; the originals are left alone.
func cutResults(messages []model.Message, bound int) []model.Message {
	var out []model.Message
	for _, m := range messages {
		parts := append([]model.Part(nil), m.Parts...)
		for i, p := range parts {
			if p.Kind == model.PartResult && len(p.Result.Text) > bound+len(shortenedNote) {
				cut := *p.Result
				cut.Text = excerpt.Head(cut.Text, bound) + shortenedNote
				parts[i] = model.ResultPart(cut)
			}
		}
		m.Parts = parts
		out = append(out, m)
	}
	return out
}
