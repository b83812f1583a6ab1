package agentcli

import (
	"strings"

	"mindroom/internal/agentcli/http1"
)

// The variables that each shell command of an agent is given (C02).
const (
	EnvURL    = "MINDROOM_AGENT_CLI_URL"
	EnvToken  = "MINDROOM_AGENT_CLI_TOKEN"
	EnvWindow = "MINDROOM_AGENT_CLI_WINDOW"
)

// HeaderWindow carries the command's window.
const HeaderWindow = "X-MindRoom-Agent-CLI-Window"

// Bounds on the variables, in characters.
const (
	maxToken  = 4096
	maxWindow = 1024
)

// authority is what the environment gives: where to ask, and in whose name.
type authority struct {
	origin        http1.Origin
	token, window string
}

// readAuthority reads the environment. Its error names the variable and never its value.
func readAuthority(getenv func(string) string) (authority, *failure) {
	a := authority{token: getenv(EnvToken), window: getenv(EnvWindow)}
	origin, err := http1.ParseOrigin(getenv(EnvURL))
	switch {
	case getenv(EnvURL) == "":
		return a, noAuthority(EnvURL + " is not set")
	case err != nil:
		return a, noAuthority(EnvURL + " cannot be used: " + err.Error())
	case a.token == "":
		return a, noAuthority(EnvToken + " is not set")
	case len(a.token) > maxToken || strings.ContainsFunc(a.token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return a, noAuthority(EnvToken + " cannot be used: it is at most 4096 ASCII characters without spaces")
	case len(a.window) > maxWindow || strings.ContainsFunc(a.window, func(r rune) bool { return r < ' ' || r >= 0x7f }):
		return a, noAuthority(EnvWindow + " cannot be used: it is at most 1024 ASCII characters on one line")
	}
	a.origin = origin
	return a, nil
}

func noAuthority(why string) *failure {
	return unknown("Agent CLI authority is unavailable: %s", why).
		because("run mindroom-agent inside a shell command of an agent's response, which is given its environment")
}
