package memory

import (
	"fmt"
	"strings"

	"mindroom/internal/excerpt"
	"mindroom/internal/memory"
	"mindroom/internal/tool"
)

// maxResult bounds a list in bytes, and maxShown one memory in it: a line that
// somebody wrote into a file can be of any length.
const (
	maxResult = 32 << 10
	maxShown  = memory.MaxText
)

type (
	contentArgs struct {
		Content string `json:"content" jsonschema:"What to remember, in one or two sentences; line breaks become spaces."`
	}
	searchArgs struct {
		Query string `json:"query" jsonschema:"Words to look for."`
		Limit *int   `json:"limit,omitempty" jsonschema:"At most so many, 1 to 50; 5 if left out."`
	}
	listArgs struct {
		Limit *int `json:"limit,omitempty" jsonschema:"At most so many, 1 to 200; 50 if left out."`
	}
	idArgs struct {
		ID string `json:"id" jsonschema:"The id that stands before a memory."`
	}
	updateArgs struct {
		ID      string `json:"id" jsonschema:"The id that stands before a memory."`
		Content string `json:"content" jsonschema:"The whole new text."`
	}
)

// bound is a limit within its range.
func bound(limit *int, otherwise, most int) (int, error) {
	switch {
	case limit == nil:
		return otherwise, nil
	case *limit < 1 || *limit > most:
		return 0, tool.Faultf(tool.FaultArguments, "limit: expected 1 to %d, received %d", most, *limit)
	}
	return *limit, nil
}

// one tells of one memory; format names its file.
func one(format string) func(memory.Entry, error) (string, error) {
	return func(e memory.Entry, err error) (string, error) {
		if err != nil {
			return "", err
		}
		return fmt.Sprintf(format, e.File) + line(e), nil
	}
}

func line(e memory.Entry) string {
	text := e.Text
	if len(text) > maxShown {
		text = excerpt.Head(text, maxShown) + "…"
	}
	return "[id=" + e.ID + "] " + text
}

// many tells of several, and of what was left out.
func many(r memory.Recalled, limit int, none string) string {
	var lines []string
	size := 0
	for _, e := range r.Entries {
		text := line(e)
		if size += len(text) + 1; len(lines) == limit || size > maxResult {
			break
		}
		lines = append(lines, text)
	}
	if len(r.Entries) == 0 {
		lines = append(lines, none)
	} else if more := len(r.Entries) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("(%d more; search_memories finds them by their words)", more))
	}
	for i, left := range r.Left {
		if i == 10 {
			lines = append(lines, fmt.Sprintf("(Not read: %d more files)", len(r.Left)-i))
			break
		}
		lines = append(lines, "(Not read: "+left+")")
	}
	return strings.Join(lines, "\n")
}
