// Package anthropic reaches Anthropic's Messages API, and servers that speak it, through the official SDK, which no
// other package imports.
//
//  1. Always streaming; the SDK's own retries are off and its reading of the environment is not used.
//  2. Thinking blocks, signed or redacted, become opaque parts in the place where they came, and go back unchanged.
//  3. Two cache breakpoints: after the system prompt (which covers the tools, or on the last tool when there is no
//     prompt) and at the end of the conversation.
//  4. A stream that ends without message_stop was cut, whatever came before.
//
// Keys of extra_kwargs: api_key, base_url, max_tokens, temperature, top_p, top_k, thinking (a mapping, sent as it
// is), effort, extra_body (a mapping merged into the request), idle_timeout (seconds).
package anthropic
