package speech

import (
	"encoding/json"
	"fmt"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
)

// Anthropic is the Messages API. New is left to whoever has the provider.
func Anthropic() modeltest.Dialect {
	return modeltest.Dialect{
		Env:        "ANTHROPIC_API_KEY",
		Frames:     anthropicFrames,
		ErrorFrame: Frame("error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
		ErrorBody: func(message string) string {
			return fmt.Sprintf(`{"type":"error","error":{"type":"api_error","message":%s}}`, quote(message))
		},
	}
}

// Frame is one event of the Messages API.
func Frame(event, data string) string { return "event: " + event + "\ndata: " + data + "\n\n" }

func quote(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func anthropicFrames(r modeltest.Reply) []string {
	out := []string{
		Frame("message_start", fmt.Sprintf(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"test-model","content":[],"stop_reason":null,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":1}}}`,
			r.Usage.Input, r.Usage.CacheRead, r.Usage.CacheWrite)),
		Frame("ping", `{"type":"ping"}`),
	}
	index := 0
	block := func(start string, deltas ...string) {
		out = append(out, Frame("content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, start)))
		for _, d := range deltas {
			out = append(out, Frame("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d)))
		}
		out = append(out, Frame("content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index)))
		index++
	}
	if len(r.Text) > 0 {
		var deltas []string
		for _, text := range r.Text {
			deltas = append(deltas, fmt.Sprintf(`{"type":"text_delta","text":%s}`, quote(text)))
		}
		block(`{"type":"text","text":""}`, deltas...)
	}
	for _, c := range r.Calls {
		deltas := []string{`{"type":"input_json_delta","partial_json":""}`}
		for _, piece := range c.Arguments {
			deltas = append(deltas, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%s}`, quote(piece)))
		}
		block(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quote(c.ID), quote(c.Name)), deltas...)
	}
	reason := map[model.Stop]string{
		model.StopEnd: "end_turn", model.StopToolCalls: "tool_use", model.StopMaxTokens: "max_tokens", model.StopRefusal: "refusal",
	}[r.EffectiveStop()]
	if r.RawStop != "" {
		reason = r.RawStop
	}
	return append(out,
		Frame("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%s,"stop_sequence":null},"usage":{"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}}`,
			quote(reason), r.Usage.Output, r.Usage.Reasoning)),
		Frame("message_stop", `{"type":"message_stop"}`))
}
