package agent

import (
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"mindroom/internal/config"
	"mindroom/internal/excerpt"
	"mindroom/internal/skill"
	"mindroom/internal/tool"
)

// maxPage bounds the text of one result, in bytes of JSON: what a model gets whole is
// 50 KiB, and the rest of the result takes less than what is left.
const maxPage = 36 << 10

// ReadSkill is the function that reads skills.
const ReadSkill = "read_skill"

type readArgs struct {
	Name   string `json:"name" jsonschema:"The skill."`
	Path   string `json:"path,omitempty" jsonschema:"A file of the skill, as its instructions name it; SKILL.md if left out."`
	Offset int    `json:"offset,omitempty" jsonschema:"Where to go on: next_offset of the result before; 0 if left out."`
}

// page is a part of a file of a skill.
type page struct {
	Skill string `json:"skill"`
	Path  string `json:"path"`
	Text  string `json:"text"`
	// Next is where the file goes on, in bytes; absent at its end.
	Next int `json:"next_offset,omitempty"`
	// Files are the skill's other files, More that there are further ones.
	Files []string `json:"files,omitempty"`
	More  bool     `json:"more_files,omitempty"`
	// Folder is where the files lie for the agent's own shell and file functions; absent
	// where these do not reach.
	Folder string `json:"folder,omitempty"`
}

// New makes the toolkit. It has no settings: what an agent may read is in the
// configuration and the workspace that come with each call.
func New() tool.Toolkit {
	return tool.Toolkit{
		Name:    config.OwnToolkit,
		Purpose: "Read your skills: instructions for kinds of tasks.",
		Build: func(tool.Env) ([]tool.Function, error) {
			return []tool.Function{tool.Typed(tool.Spec{
				Name: ReadSkill, Class: tool.Shared,
				Description: "Read a skill: its instructions, or another of its files that these speak of.",
			}, read)}, nil
		},
	}
}

func read(_ context.Context, in tool.Invocation, args readArgs) (any, error) {
	c := in.Snapshot.Config
	f, err := skill.Of(c, in.Who.Agent, in.Workspace).Read(args.Name, args.Path)
	if err != nil {
		return nil, tool.Faultf(tool.FaultTool, "%v", err)
	}
	if args.Offset < 0 || args.Offset > len(f.Text) {
		return nil, tool.Faultf(tool.FaultArguments, "offset: %s has %d bytes, received %d", f.Path, len(f.Text), args.Offset)
	}
	p := page{Skill: args.Name, Path: f.Path, Files: f.Others, More: f.More}
	if f.Own || slices.ContainsFunc(c.EffectiveTools(in.Who.Agent), func(t config.ToolEntry) bool { return t.Name == "shell" }) {
		p.Folder = f.Folder
	}
	p.Text = fitting(f.Text[start(f.Text, args.Offset):])
	if end := start(f.Text, args.Offset) + len(p.Text); end < len(f.Text) {
		p.Next = end
	}
	return p, nil
}

// start is where the character at an offset begins, or the next one where it is none's
// beginning.
func start(text string, offset int) int {
	for offset < len(text) && !utf8.RuneStart(text[offset]) {
		offset++
	}
	return offset
}

// fitting is the beginning of a text that takes at most maxPage bytes as JSON, up to
// the end of a line where there is one in its second half.
func fitting(text string) string {
	for n := maxPage; ; n /= 2 {
		part := excerpt.Head(text, n)
		if raw, err := json.Marshal(part); err != nil || len(raw) > maxPage {
			continue // what needs escapes grows on its way
		}
		if len(part) < len(text) {
			for i := len(part); i > len(part)/2; i-- {
				if part[i-1] == '\n' {
					return part[:i]
				}
			}
		}
		return part
	}
}
