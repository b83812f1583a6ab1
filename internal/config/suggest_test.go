package config

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"tools", "rooms", "role", "show_tool_calls", "website"}
	for word, want := range map[string]string{
		"tols": "tools", "tolos": "tools", "Tools": "tools", "websit": "website", "show_toolcalls": "show_tool_calls",
		"room": "rooms", "banana": "", "": "", "x": "", "rol": "role",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}} {
		if got := editDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
