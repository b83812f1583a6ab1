package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/secret"
)

// process makes a process environment of a map.
func process(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

// envOf is an Env without a .env file.
func envOf(vars map[string]string) Env { return Env{process: process(vars)} }

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEnvPrecedence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".env"), "BOTH=file\nONLY_FILE=file\nEMPTIED=file\n")
	env, err := ReadEnv(dir, process(map[string]string{"BOTH": "process", "EMPTIED": ""}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"BOTH": "process", "ONLY_FILE": "file", "EMPTIED": "", "NEITHER": ""} {
		if got := env.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if _, ok := env.Lookup("EMPTIED"); !ok {
		t.Error("a variable set to nothing must be told from one that is not set")
	}
	if _, ok := env.Lookup("NEITHER"); ok {
		t.Error("NEITHER is set")
	}
	if got := env.origin("ONLY_FILE"); got != filepath.Join(dir, ".env")+":2" {
		t.Errorf("origin: %s", got)
	}
}

func TestEnvWithoutFile(t *testing.T) {
	t.Parallel()
	env, err := ReadEnv(t.TempDir(), nil)
	if err != nil || env.Get("ANY") != "" {
		t.Errorf("%v", err)
	}
	if _, err := ReadEnv(t.TempDir()+"/.env/none", nil); err != nil {
		t.Errorf("a folder that does not exist has no .env: %v", err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".env"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadEnv(dir, nil); err == nil {
		t.Error("a folder called .env was read")
	}
}

func TestDotenvForms(t *testing.T) {
	t.Parallel()
	values, err := parseDotenv(".env", []byte("\ufeff# comment\n\nA=1\r\n export B = two words # note\nC='$x \\n # no'\nD=\"a\\n\\\"b\\\" \\$ \\q\" # note\nE=\nF=#x\nG=a#b\nA=last\nH=\"\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"A": "last", "B": "two words", "C": `$x \n # no`, "D": "a\n\"b\" $ \\q", "E": "", "F": "", "G": "a#b", "H": ""}
	for name, text := range want {
		if got := values[name].text; got != text {
			t.Errorf("%s = %q, want %q", name, got, text)
		}
	}
	if len(values) != len(want) {
		t.Errorf("values: %v", values)
	}
}

// All faults at once, each with its line, none with the text of the line (invariant 4).
func TestDotenvRefuses(t *testing.T) {
	t.Parallel()
	_, err := parseDotenv(".env", []byte("A=1\nhunter2\n2X=hunter2\nB=\"hunter2\nC='hunter2' hunter2\n"))
	want := strings.Join([]string{
		".env:2:1: must be a line NAME=value, a comment or empty",
		".env:3:1: must be a line NAME=value, a comment or empty",
		".env:4:1: B: has no closing quote; a value cannot span lines, write \\n inside double quotes",
		".env:5:1: C: has text after its closing quote; put the quotes around all of it",
	}, "\n")
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	for _, bad := range []string{"A=\xff", strings.Repeat("#", MaxFileBytes+1)} {
		var faults Errors
		if _, err := parseDotenv(".env", []byte(bad)); !errors.As(err, &faults) {
			t.Errorf("accepted %.10q", bad)
		}
	}
}

func TestEnvAndSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	env := envOf(map[string]string{"MATRIX_REGISTRATION_TOKEN": "hunter2", "MINDROOM_API_KEY": "hunter2"})
	r, err := LoadRuntime(env, "config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(r)
	if err != nil || strings.Contains(string(encoded), "hunter2") {
		t.Errorf("JSON prints a secret: %v", err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "token", r.Matrix.RegistrationToken, "runtime", r)
	if strings.Contains(log.String(), "hunter2") {
		t.Error("a log prints a secret")
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, r) + fmt.Sprintf(verb, env); strings.Contains(text, "hunter2") {
			t.Errorf("%s prints a secret", verb)
		}
	}
	if r.Matrix.RegistrationToken.IsZero() || !r.Workers.ProxyToken.IsZero() || r.Matrix.RegistrationToken.Reveal() != "hunter2" {
		t.Error("the token is lost")
	}
}

func TestKwargsDoNotPrintValues(t *testing.T) {
	t.Parallel()
	m := Model{Provider: "openai", ID: "x", ExtraKwargs: Kwargs{"api_key": "hunter2", "a": 1}}
	encoded, err := json.Marshal(m)
	if err != nil || strings.Contains(string(encoded), "hunter2") {
		t.Errorf("JSON: %s %v", encoded, err)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("model", "kwargs", m.ExtraKwargs)
	if strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "api_key") {
		t.Errorf("log: %s", log.String())
	}
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if text := fmt.Sprintf(verb, m); strings.Contains(text, "hunter2") || !strings.Contains(text, "{a, api_key}") {
			t.Errorf("%s: %s", verb, text)
		}
	}
}

func TestSecretFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := write(t, filepath.Join(dir, "token"), "from file\n")
	big := write(t, filepath.Join(dir, "big"), strings.Repeat("x", maxSecretBytes+1))
	tests := []struct {
		vars map[string]string
		want string
		err  string
	}{
		{map[string]string{"T": "direct"}, "direct", ""},
		{map[string]string{"T_FILE": good}, "from file", ""},
		{map[string]string{"T": "", "T_FILE": good}, "from file", ""},
		{map[string]string{"T": "direct", "T_FILE": good}, "", "environment: T is set together with T_FILE; remove one of them"},
		{map[string]string{"T_FILE": dir + "/hunter2"}, "", "environment: T_FILE names a file that cannot be read: no such file or directory"},
		{map[string]string{"T_FILE": dir}, "", "environment: T_FILE must name a file of at most 64 KiB"},
		{map[string]string{"T_FILE": big}, "", "environment: T_FILE must name a file of at most 64 KiB"},
	}
	for _, tt := range tests {
		got, _, err := envOf(tt.vars).secretText("T")
		if got != tt.want || fmt.Sprint(err) != tt.err && !(err == nil && tt.err == "") {
			t.Errorf("%v: %q, %v", tt.vars, got, err)
		}
	}
}

// A provider's key in extra_kwargs stays plain text for the provider's client, so the redactor must know it.
func TestKwargsSecretsAreKnownToTheRedactor(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits(), strings.Replace(minimal, "id: demo", "id: demo, extra_kwargs: {api_key: sk-test-kwargs-0001}", 1))
	if got := c.Models["default"].ExtraKwargs["api_key"]; got != "sk-test-kwargs-0001" {
		t.Errorf("the client gets %v", got)
	}
	if text := secret.Default.Redact("said sk-test-kwargs-0001"); strings.Contains(text, "0001") {
		t.Error(text)
	}
}
