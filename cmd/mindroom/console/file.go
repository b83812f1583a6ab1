package console

import (
	"encoding/json"
	"fmt"

	parse "mindroom/internal/chat"
	"mindroom/internal/person"
)

// words are what a message says: its text, or which file it carries and what was
// said about that.
func words(e person.Event) string {
	raw, err := json.Marshal(e.Content)
	if err != nil {
		return e.Body()
	}
	f, ok := parse.ParseFile(raw)
	if !ok {
		return e.Body()
	}
	text := "[" + string(f.Kind) + " " + f.Name
	if f.Size > 0 {
		text += fmt.Sprintf(", %d KB", (f.Size+1023)/1024)
	}
	text += "]"
	if f.Caption != "" {
		text += "\n" + f.Caption
	}
	return text
}
