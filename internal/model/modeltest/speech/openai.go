package speech

import (
	"fmt"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
)

// OpenAI is the chat completions of OpenAI and of every compatible server. New
// is left to whoever has the provider.
func OpenAI() modeltest.Dialect {
	return modeltest.Dialect{
		Env:        "OPENAI_API_KEY",
		Frames:     openAIFrames,
		Trailer:    2, // Usage and [DONE] follow the finish_reason; some servers send neither.
		ErrorFrame: Data(`{"error":{"message":"no room","type":"server_error","code":503}}`),
		ErrorBody: func(message string) string {
			return fmt.Sprintf(`{"error":{"message":%s,"type":"some_error","param":null,"code":null}}`, quote(message))
		},
	}
}

// Data is one event of a chat completion's stream.
func Data(text string) string { return "data: " + text + "\n\n" }

// Chunk is one event with a delta; finish is a JSON value.
func Chunk(delta, finish string) string {
	return Data(fmt.Sprintf(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"test-model","choices":[{"index":0,"delta":%s,"finish_reason":%s}],"usage":null}`, delta, finish))
}

func openAIFrames(r modeltest.Reply) []string {
	out := []string{Chunk(`{"role":"assistant","content":""}`, "null")}
	for _, text := range r.Text {
		out = append(out, Chunk(fmt.Sprintf(`{"content":%s}`, quote(text)), "null"))
	}
	for i, c := range r.Calls {
		out = append(out, Chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`, i, quote(c.ID), quote(c.Name)), "null"))
		for _, piece := range c.Arguments {
			out = append(out, Chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(piece)), "null"))
		}
	}
	reason := map[model.Stop]string{
		model.StopEnd: "stop", model.StopToolCalls: "tool_calls", model.StopMaxTokens: "length", model.StopRefusal: "content_filter",
	}[r.EffectiveStop()]
	if r.RawStop != "" {
		reason = r.RawStop
	}
	u := r.Usage
	return append(out,
		Chunk(`{}`, quote(reason)),
		Data(fmt.Sprintf(`{"id":"c1","object":"chat.completion.chunk","created":1,"model":"test-model","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}}`,
			u.Input+u.CacheRead+u.CacheWrite, u.Output, u.Input+u.CacheRead+u.CacheWrite+u.Output, u.CacheRead, u.CacheWrite, u.Reasoning)),
		Data("[DONE]"))
}
