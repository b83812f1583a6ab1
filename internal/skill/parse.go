package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"mindroom/internal/config"
)

// MainFile is the file that makes a folder a skill.
const MainFile = "SKILL.md"

const (
	// MaxFile is the largest SKILL.md that is read, in bytes.
	MaxFile = 128 << 10
	// MaxDescription is the longest description, in characters.
	MaxDescription = 1024
	// maxFront bounds what stands between the lines of dashes, in bytes: only names and
	// short texts belong there.
	maxFront = 16 << 10
)

// Skill is one that an agent has.
type Skill struct {
	// Name is that of its folder.
	Name string
	// Description says in one line, of at most MaxDescription characters, what it is for;
	// never empty.
	Description string
	// Instructions is the Markdown of its SKILL.md without what stands before it; never
	// empty.
	Instructions string
	// Own: it is of the agent's workspace, and not the operator's.
	Own bool
}

// errName is the fault of a folder whose name cannot be a skill's.
var errName = fmt.Errorf("the name of its folder must have up to %d small letters, digits and single dashes between them", config.MaxSkillName)

// parse reads a SKILL.md in a folder of the given name. Keys besides name and
// description are other programs' and not looked at. A missing name is the folder's.
func parse(folder string, raw []byte) (Skill, error) {
	if !config.IsSkillName(folder) {
		return Skill{}, errName
	}
	if len(raw) > MaxFile {
		return Skill{}, fmt.Errorf("%s has more than %d bytes: move parts of it into other files of the folder", MainFile, MaxFile)
	}
	front, body, ok := split(strings.ReplaceAll(strings.TrimPrefix(string(raw), "\uFEFF"), "\r\n", "\n"))
	if !ok || len(front) > maxFront {
		return Skill{}, fmt.Errorf("%s must begin with its name and description between two lines of ---, in at most %d bytes", MainFile, maxFront)
	}
	name, description, err := keys(front)
	if err != nil {
		return Skill{}, fmt.Errorf("what stands between the lines of --- in %s cannot be read: %w", MainFile, err)
	}
	s := Skill{Name: folder, Description: oneLine(description), Instructions: strings.TrimSpace(body)}
	switch n := utf8.RuneCountInString(s.Description); {
	case name != "" && name != folder:
		return s, fmt.Errorf("%s names it %.64q and its folder %q: make them the same", MainFile, name, folder)
	case n == 0:
		return s, fmt.Errorf("%s has no description: say there in a sentence what it is for and when", MainFile)
	case n > MaxDescription:
		return s, fmt.Errorf("its description has %d characters: shorten it to %d", n, MaxDescription)
	case s.Instructions == "":
		return s, fmt.Errorf("%s has no instructions after the second line of ---", MainFile)
	}
	return s, nil
}

// split takes a text apart into what stands between its first line, of three dashes,
// and the next such line, and what follows that.
func split(text string) (front, body string, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if !dashes(first) {
		return "", "", false
	}
	at := 0
	for line := range strings.Lines(rest) {
		if dashes(strings.TrimSuffix(line, "\n")) {
			return rest[:at], rest[at+len(line):], true
		}
		at += len(line)
	}
	return "", "", false
}

func dashes(line string) bool { return strings.TrimRight(line, " \t") == "---" }

// keys finds name and description without following an alias or making anything of the
// other keys, which can hold whatever they like.
func keys(front string) (name, description string, err error) {
	loader, err := yaml.NewLoader(bytes.NewReader([]byte(front)))
	if err != nil {
		return "", "", err
	}
	var document yaml.Node
	if err := loader.Load(&document); err != nil {
		return "", "", explain(err)
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return "", "", errors.New("write name: and description: there, each in a line")
	}
	pairs := document.Content[0].Content
	seen := map[string]bool{}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := pairs[i].Value, pairs[i+1]
		if key != "name" && key != "description" {
			continue
		}
		if seen[key] {
			return "", "", fmt.Errorf("%s stands there twice", key)
		}
		seen[key] = true
		if value.Kind != yaml.ScalarNode {
			return "", "", fmt.Errorf("%s is no text", key)
		}
		if value.Tag == "!!null" {
			continue
		}
		if key == "name" {
			name = value.Value
		} else {
			description = value.Value
		}
	}
	return name, description, nil
}

// explain is a fault of the YAML with its line in the file, whose first line is dashes.
func explain(err error) error {
	var fault *yaml.LoadError
	switch {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case !errors.As(err, &fault):
		return err
	case fault.Mark.Line < 1:
		return errors.New(fault.Message)
	}
	return fmt.Errorf("line %d: %s; a text with a colon in it stands in quotes", fault.Mark.Line+1, fault.Message)
}

// oneLine is a text as it may stand in a list: without line breaks, and without
// characters that nobody sees.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c':
			return -1
		}
		return r
	}, text)), " ")
}
