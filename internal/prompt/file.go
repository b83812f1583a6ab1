package prompt

import (
	"fmt"
	"strings"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

// pictureCharacters is what a picture takes of the room for the conversation, as
// much as text of that many characters.
const pictureCharacters = 6400

// File is a file that a message carries.
type File struct {
	// ID is the id by which tools know it ("att_…").
	ID   string
	Name string
	Kind media.Kind
	Size int64 // bytes; 0 when unknown
	// Show is what the model is to see of it; nil for nothing.
	Show *media.Ref
	// Note says why it is not shown; empty when nobody need be told.
	Note string
}

// listed are the lines that name an entry's files.
func (e Entry) listed() string {
	var b strings.Builder
	for _, f := range e.Files {
		name := strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(f.Name)
		fmt.Fprintf(&b, "\n[attachment %s: %q, %s", f.ID, name, f.Kind)
		if f.Size > 0 {
			fmt.Fprintf(&b, ", %d KB", (f.Size+1023)/1024)
		}
		if f.Note != "" && f.Show == nil {
			b.WriteString("; not shown: " + f.Note)
		}
		b.WriteString("]")
	}
	return b.String()
}

// weight is what the shown files take of the room for the conversation.
func weight(files []File) (characters int) {
	for _, f := range files {
		if f.Show != nil {
			characters += f.weight()
		}
	}
	return characters
}

func (f File) weight() int {
	if f.Show.Picture() {
		return pictureCharacters
	}
	return int(f.Show.Size)
}

// fitting are the files with only those shown that fit.
func fitting(files []File, characters int) []File {
	var out []File
	for _, f := range files {
		if f.Show != nil {
			if characters -= f.weight(); characters < 0 {
				f.Show, f.Note = nil, "the conversation is longer than fits"
			}
		}
		out = append(out, f)
	}
	return out
}

// parts shows files, each under its id.
func parts(files []File) (all []model.Part) {
	for _, f := range files {
		if f.Show != nil {
			all = append(all, model.TextPart("["+f.ID+"]"), model.MediaPart(*f.Show))
		}
	}
	return all
}
