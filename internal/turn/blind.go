package turn

import (
	"errors"
	"net/http"

	"mindroom/internal/model"
)

// noteRefused says why a file is not shown to a model that would not take it.
const noteRefused = "the model did not take it"

// refusedMedia reports whether a question may have been refused for the pictures
// and files in it: providers have no code of their own for that. It is asked
// again without them, once for all (spec/runtime.md 7.5).
func (r *response) refusedMedia(err error, q model.Request) bool {
	var failure *model.Error
	if r.blind || !errors.As(err, &failure) || failure.Kind != model.KindBadRequest || failure.Status == http.StatusUnauthorized {
		return false
	}
	for _, m := range q.Messages {
		if len(shownIn(m)) > 0 {
			r.e.Log.Warn("a model refused a question with files; it is asked without them", "turn", r.id, "err", err)
			return true
		}
	}
	return false
}

// withoutMedia are the messages with a line of text in the place of every
// picture and file.
func withoutMedia(messages []model.Message) []model.Message {
	var out []model.Message
	for _, m := range messages {
		parts := append([]model.Part(nil), m.Parts...)
		for i, p := range parts {
			switch {
			case p.Kind == model.PartMedia:
				parts[i] = model.TextPart(model.MediaNote(*p.Media, noteRefused))
			case p.Kind == model.PartResult && len(p.Result.Media) > 0:
				result := *p.Result
				result.Media = nil
				for _, ref := range p.Result.Media {
					result.Text += "\n" + model.MediaNote(ref, noteRefused)
				}
				parts[i] = model.ResultPart(result)
			}
		}
		m.Parts = parts
		out = append(out, m)
	}
	return out
}
