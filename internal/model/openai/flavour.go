package openai

import (
	"errors"
	"net/url"
	"strings"

	"mindroom/internal/model"
)

// flavour is one provider of the compatible family: what differs is the address and the key.
type flavour struct {
	name string
	// base is the address when nobody gives another.
	base string
	// keyEnv is the variable that holds the key; empty when the server needs none. A key is demanded only for base
	// itself: a server of one's own may do without.
	keyEnv string
	// baseEnv may hold another address; empty for none.
	baseEnv string
	// path is appended to an address that has none, because people write the bare host.
	path string
}

// flavours are the known ones. openai is the plain one: with base_url it reaches any compatible server.
var flavours = []flavour{
	{name: "openai", base: "https://api.openai.com/v1", keyEnv: "OPENAI_API_KEY", baseEnv: "OPENAI_BASE_URL"},
	{name: "ollama", base: "http://localhost:11434/v1", baseEnv: "OLLAMA_HOST", path: "/v1"},
	{name: "llama_cpp", base: "http://localhost:8080/v1", path: "/v1"},
	{name: "openrouter", base: "https://openrouter.ai/api/v1", keyEnv: "OPENROUTER_API_KEY"},
	{name: "google", base: "https://generativelanguage.googleapis.com/v1beta/openai", keyEnv: "GOOGLE_API_KEY"},
	{name: "groq", base: "https://api.groq.com/openai/v1", keyEnv: "GROQ_API_KEY"},
	{name: "cerebras", base: "https://api.cerebras.ai/v1", keyEnv: "CEREBRAS_API_KEY"},
	{name: "deepseek", base: "https://api.deepseek.com/v1", keyEnv: "DEEPSEEK_API_KEY"},
}

// Constructors are the providers of this package by the name that `provider:` gives: openai, ollama, llama_cpp,
// openrouter, google, groq, cerebras, deepseek. The caller owns the map.
//
// The address is extra_kwargs.base_url, else `host`, else OPENAI_BASE_URL (openai) or OLLAMA_HOST (ollama), else the
// provider's own.
func Constructors() map[string]model.Constructor {
	all := make(map[string]model.Constructor, len(flavours))
	for _, f := range flavours {
		all[f.name] = func(s model.Settings) (model.Provider, error) { return build(f, s) }
	}
	return all
}

// address resolves where to ask; own says that it is the flavour's own address.
func (f flavour) address(kwarg string, s model.Settings) (base string, own bool, err error) {
	base = kwarg
	if base == "" {
		base = s.Host
	}
	if base == "" && f.baseEnv != "" {
		base = s.Env(f.baseEnv)
	}
	if base == "" {
		return f.base, true, nil
	}
	if !strings.Contains(base, "://") {
		base = "http://" + base // The form in which Ollama's users write it.
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", false, errors.New("the base address must look like https://host/v1 or http://host:port")
	}
	if f.name == "ollama" {
		ollamaHost(u)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if u.Path == "" {
		u.Path = f.path
	}
	base = u.String()
	return base, base == f.base && f.keyEnv != "", nil
}

// ollamaHost completes an address the way Ollama itself does: the variable is the same one that tells its server
// where to listen.
func ollamaHost(u *url.URL) {
	host, port := u.Hostname(), u.Port()
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "localhost"
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	switch {
	case port != "":
		host += ":" + port
	case u.Scheme == "http":
		host += ":11434"
	}
	u.Host = host
}
