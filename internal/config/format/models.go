package format

// Providers are the names a model's provider may have; which of them a build can drive, its model registry says.
var providers = []string{
	"anthropic", "openai", "azure", "google", "gemini", "ollama", "llama_cpp", "openrouter", "groq", "cerebras", "deepseek",
	"zai", "bedrock_claude", "vertexai_claude", "codex", "openai_codex", "kimi", "kimi_code", "synthetic", "scripted",
}

var model = &Object{
	Name: "models.*",
	Doc:  "One language model.",
	Keys: []Key{
		{Name: "provider", Shape: words(providers...), Required: true, Doc: "Whose model it is."},
		{Name: "id", Shape: filled, Required: true, Doc: "The provider's own name for the model."},
		{Name: "host", Shape: anyText, Default: "", Doc: "Base address of a server of one's own; empty: the provider's."},
		{Name: "context_window", Shape: atLeast(1), Doc: "Tokens that fit into one request; absent: unknown."},
		{Name: "images", Shape: boolean, Doc: "Whether the model is shown pictures; absent: yes for anthropic, openai, azure, google, gemini, openrouter and scripted, no for the others."},
		{Name: "extra_kwargs", Shape: mapping(Plain, free), Doc: "Settings passed to the provider."},
		{Name: "api_key", Shape: anyText, Idle: "has no effect; a key belongs into the environment, as ANTHROPIC_API_KEY or OPENAI_API_KEY",
			Doc: "Accepted and not used: keys come from the environment."},
	},
}
