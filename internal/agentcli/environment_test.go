package agentcli

import (
	"strings"
	"testing"
)

func TestAuthority(t *testing.T) {
	t.Parallel()
	good := map[string]string{EnvURL: "http://127.0.0.1:8765/", EnvToken: "secret", EnvWindow: "call_1|fc 2"}
	with := func(name, value string) func(string) string {
		return func(n string) string {
			if n == name {
				return value
			}
			return good[n]
		}
	}
	for _, c := range []struct{ name, value string }{{"", ""}, {EnvToken, strings.Repeat("t", 4096)}, {EnvWindow, ""}} {
		a, f := readAuthority(with(c.name, c.value))
		if f != nil || a.origin.URL != "http://127.0.0.1:8765" || a.token == "" {
			t.Errorf("%s=%.20s: %+v, %v", c.name, c.value, a, f)
		}
	}
	for _, c := range []struct{ name, value string }{
		{EnvURL, ""}, {EnvURL, "http://u:secret@a"}, {EnvURL, "http://a/secret"}, {EnvURL, "secret"},
		{EnvToken, ""}, {EnvToken, "sec ret"}, {EnvToken, "secret\n"}, {EnvToken, "sécret"}, {EnvToken, strings.Repeat("secret", 683)},
		{EnvWindow, "secret\r\nX: y"}, {EnvWindow, "sécret"}, {EnvWindow, strings.Repeat("w", 1025)},
	} {
		_, f := readAuthority(with(c.name, c.value))
		if f == nil || f.exit != ExitUnknown || !strings.Contains(f.text, "Agent CLI authority is unavailable: "+c.name) || strings.Contains(f.text+f.hint, "ecret") {
			t.Errorf("%s=%.20q: %+v", c.name, c.value, f)
		}
	}
}
