package scripted

import (
	"strings"

	"mindroom/internal/model"
)

// view is what the rules can see of a conversation.
type view struct {
	agent, system, user string
	turn, step          int
	// results are those the conversation ends with; nil when it ends otherwise.
	results []model.Result
	// calls counts the calls so far, for ids that do not repeat.
	calls int
	size  int // bytes of text
}

func look(req model.Request) view {
	v := view{agent: req.Agent, system: req.System, size: len(req.System)}
	for _, m := range req.Messages {
		v.size += size(m)
		switch m.Role {
		case model.RoleUser:
			v.turn++
			v.step = 0
			v.user = userText(m)
			v.results = nil
		case model.RoleAssistant:
			v.step++
			v.calls += len(m.Calls())
			v.results = nil
		case model.RoleTool:
			v.results = append(v.results, m.Results()...)
		}
	}
	return v
}

// userText keeps the parts of a message apart, unlike Message.Text, so that a regexp can look at lines.
func userText(m model.Message) string {
	var texts []string
	for _, p := range m.Parts {
		if p.Kind == model.PartText {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func size(m model.Message) int {
	n := 0
	for _, p := range m.Parts {
		n += len(p.Text)
		if p.Call != nil {
			n += len(p.Call.Name) + len(p.Call.Arguments)
		}
		if p.Result != nil {
			n += len(p.Result.Text)
		}
	}
	return n
}
