package delegate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

// Profiles are subagents written down in the caller's workspace, as subagents/NAME.md
// (spec/agentcli.md 7).
const (
	profileFolder = "subagents"
	profileEnd    = ".md"
	// profileBytes bounds one file, profileNames how many are listed.
	profileBytes = 64 << 10
	profileNames = 256
	// profileWords bounds a description, in characters.
	profileWords = 1024
)

var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)

// profile is the front matter of one, between two lines of three dashes; what follows
// it is the prompt.
type profile struct {
	// Description says when to use it; people and agents read it in the file.
	Description string `yaml:"description"`
	// Tools are those of turn.Task: absent all, empty none.
	Tools []string `yaml:"tools"`
	Model string   `yaml:"model"`
	// Mode is standard, minimal, or empty for standard.
	Mode   string `yaml:"mode"`
	prompt string
}

// applied is a task with what a profile of the workspace says; what the task says
// itself of model and mode stands. A *turn.Refusal says what is wrong with the profile.
func applied(in tool.Invocation, name string, t turn.Task) (turn.Task, error) {
	if t.Prompt != "" || t.Tools != nil {
		return t, &turn.Refusal{Text: "A profile has a prompt and tools of its own: give either profile, or system_prompt and tools."}
	}
	p, err := readProfile(in, name)
	if err != nil {
		return t, &turn.Refusal{Text: fmt.Sprintf("The profile %.64q cannot be used: %v.", name, err)}
	}
	t.Prompt, t.Tools, t.Minimal = p.prompt, p.Tools, t.Minimal || p.Mode == "minimal"
	if t.Model == "" {
		t.Model = p.Model
	}
	return t, nil
}

func readProfile(in tool.Invocation, name string) (profile, error) {
	if !profileName.MatchString(name) {
		return profile{}, errors.New("a name has up to 64 small letters, digits, _ and -, and begins with a letter or digit")
	}
	f, fault := in.OpenFile(profileFolder + "/" + name + profileEnd)
	if fault != nil {
		return profile{}, fmt.Errorf("%s; there are: %s", fault.Message, profiles(in.Workspace))
	}
	defer func() { _ = f.Close() }() // nothing was written
	raw, err := io.ReadAll(io.LimitReader(f, profileBytes+1))
	if err != nil {
		return profile{}, errors.New("its file cannot be read")
	}
	return parseProfile(raw)
}

// parseProfile reads a profile's file.
func parseProfile(raw []byte) (p profile, err error) {
	if len(raw) > profileBytes || !utf8.Valid(raw) {
		return p, fmt.Errorf("its file must be UTF-8 text of at most %d bytes", profileBytes)
	}
	rest, opened := strings.CutPrefix(strings.ReplaceAll(string(raw), "\r\n", "\n"), "---\n")
	head, prompt, closed := strings.Cut("\n"+rest, "\n---\n")
	if !opened || !closed {
		return p, errors.New("its file must begin with its description, tools, model and mode between two lines of ---")
	}
	keys := yaml.NewDecoder(bytes.NewReader([]byte(head)))
	keys.KnownFields(true)
	if err := keys.Decode(&p); err != nil {
		return p, fmt.Errorf("what stands between the lines of --- cannot be read; allowed are description, tools, model and mode: %w", err)
	}
	p.prompt = strings.TrimSpace(prompt)
	switch n := utf8.RuneCountInString(p.Description); {
	case strings.TrimSpace(p.Description) == "" || n > profileWords:
		return p, fmt.Errorf("it needs a description of at most %d characters", profileWords)
	case p.Mode != "" && p.Mode != "standard" && p.Mode != "minimal":
		return p, fmt.Errorf("mode %.40q is neither standard nor minimal", p.Mode)
	case p.prompt == "":
		return p, errors.New("it has no prompt after the second line of ---")
	}
	return p, nil
}

// profiles are the names of those that are there, in words.
func profiles(workspace string) string {
	var names []string
	if root, err := os.OpenRoot(workspace); err == nil {
		defer func() { _ = root.Close() }() // only a directory handle
		entries, _ := fs.ReadDir(root.FS(), profileFolder)
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), profileEnd)
			if ok && profileName.MatchString(name) && len(names) < profileNames {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
