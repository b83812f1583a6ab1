// Package openai reaches OpenAI's Chat Completions API, and every server that speaks it (Ollama, llama.cpp,
// OpenRouter, Google's compatible endpoint and others), through the official SDK, which no other package imports.
//
//  1. Always streaming, with usage asked for; the SDK's own retries are off and its reading of the environment is not
//     used.
//  2. Parallel calls are told apart by index, and by id where a server repeats an index.
//  3. What a server attaches to a call as extra_content (Google's thought signatures) becomes an opaque part directly
//     after the call, and goes back with it unchanged. Reasoning is streamed but not kept.
//  4. Tool results hold text only; their media moves to the user message after them.
//  5. A stream that ends without a finish_reason was cut, whatever came before.
//
// Keys of extra_kwargs: api_key, base_url, max_tokens, temperature, top_p, reasoning_effort, extra_body (a mapping
// merged into the request), idle_timeout (seconds; raise it for a local model that reads a long prompt in silence).
package openai
