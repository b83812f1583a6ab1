package turn

import (
	"errors"
	"net/http"
	"strings"

	"mindroom/internal/media"
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
		if r.showsFiles(m) {
			r.e.Log.Warn("a model refused a question with files; it is asked without them", "turn", r.id, "err", err)
			return true
		}
	}
	return false
}

// showsFiles reports whether a message shows the model what it might refuse.
func (r *response) showsFiles(m model.Message) bool {
	for _, p := range m.Parts {
		switch {
		case p.Kind == model.PartMedia && !strings.HasPrefix(p.Media.MIME, "text/"):
			return true
		case p.Kind == model.PartResult && len(p.Result.Media) > 0:
			return true
		}
	}
	return false
}

// sees reports whether the model is shown a file: text always, pictures and
// documents if it reads them and has not refused them.
func (r *response) sees(ref media.Ref) bool {
	switch {
	case strings.HasPrefix(ref.MIME, "text/"):
		return true
	case r.blind:
		return false
	case ref.MIME == "application/pdf":
		return r.model.Sees.Documents
	}
	return ref.Picture() && r.model.Sees.Pictures
}

// seenMessages are the messages with a line of text in the place of every picture and
// file that the model does not see.
func (r *response) seenMessages(messages []model.Message) []model.Message {
	note := noteNoSight
	if r.blind {
		note = noteRefused
	}
	var out []model.Message
	for _, m := range messages {
		parts := append([]model.Part(nil), m.Parts...)
		for i, p := range parts {
			switch {
			case p.Kind == model.PartMedia && !r.sees(*p.Media):
				parts[i] = model.TextPart(model.MediaNote(*p.Media, note))
			case p.Kind == model.PartResult && len(p.Result.Media) > 0:
				result := *p.Result
				result.Media = nil
				for _, ref := range p.Result.Media {
					if r.sees(ref) {
						result.Media = append(result.Media, ref)
					} else {
						result.Text += "\n" + model.MediaNote(ref, note)
					}
				}
				parts[i] = model.ResultPart(result)
			}
		}
		m.Parts = parts
		out = append(out, m)
	}
	return out
}
