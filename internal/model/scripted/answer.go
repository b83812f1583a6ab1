package scripted

import (
	"encoding/json"
	"fmt"

	"mindroom/internal/model"
)

// maxCited bounds a quotation in an answer, in characters.
const maxCited = 500

// answer plays the first rule that matches.
func (b *book) answer(v view) (model.Response, model.Kind) {
	for _, r := range b.rules {
		m, ok := r.when.match(v)
		if !ok {
			continue
		}
		if r.fail != "" {
			return model.Response{Message: model.Message{Role: model.RoleAssistant}, Stop: model.StopOther}, r.fail
		}
		resp, err := r.play(m)
		if err != nil {
			return said(fmt.Sprintf("%s of %s cannot be played: %v", r.title(), b.file, err)), ""
		}
		return resp, ""
	}
	return said(b.lost(v)), ""
}

func (r rule) play(m match) (model.Response, error) {
	text, err := r.say.text(m)
	if err != nil {
		return model.Response{}, err
	}
	resp := said(text)
	for i, c := range r.calls {
		name, err := c.tool.text(m)
		if err != nil {
			return model.Response{}, err
		}
		arguments, err := c.arguments(m)
		if err != nil {
			return model.Response{}, err
		}
		resp.Message.Parts = append(resp.Message.Parts, model.CallPart(model.Call{
			ID: fmt.Sprintf("call_%d", m.view.calls+i+1), Name: name, Arguments: arguments,
		}))
		resp.Stop = model.StopToolCalls
	}
	if r.stop != "" {
		resp.Stop = r.stop
	}
	resp.StopDetail = string(resp.Stop)
	return resp, nil
}

func (c callRule) arguments(m match) (json.RawMessage, error) {
	if c.raw == nil {
		return c.args.fill(m)
	}
	text, err := c.raw.text(m)
	return json.RawMessage(text), err
}

// lost is what is said when no rule matches.
func (b *book) lost(v view) string {
	if v.results == nil {
		return fmt.Sprintf("No rule of %s matches this message: %s", b.file, cite(v.user))
	}
	if len(v.results) == 0 {
		return fmt.Sprintf("No rule of %s matches a tool message without results.", b.file)
	}
	last := v.results[len(v.results)-1]
	return fmt.Sprintf("No rule of %s matches this result of %s: %s", b.file, last.Name, cite(last.Text))
}

func said(text string) model.Response {
	resp := model.Response{Message: model.Message{Role: model.RoleAssistant}, Stop: model.StopEnd, StopDetail: string(model.StopEnd)}
	if text != "" {
		resp.Message.Parts = []model.Part{model.TextPart(text)}
	}
	return resp
}

// cite is a bounded quotation.
func cite(text string) string {
	short := []rune(text)
	if len(short) > maxCited {
		return "“" + string(short[:maxCited]) + "…”"
	}
	return "“" + text + "”"
}
