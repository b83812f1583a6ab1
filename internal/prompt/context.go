package prompt

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// ContextFile is a file of the workspace that the operator wants in every prompt.
type ContextFile struct {
	// Path is relative to the workspace.
	Path string
	// Text is the whole file.
	Text string
}

// contextTag finds whatever could open or close the element around a file.
var contextTag = regexp.MustCompile(`(?i)<(/?\s*context_file\b)`)

// contextText shows context files in their order, limit characters of them together
// (spec/runtime.md 7.2). What does not fit is said, so that the agent reads it with its
// tools. Others may have written into the files, so none can leave its element.
func contextText(files []ContextFile, limit int) string {
	var parts []string
	for _, f := range files {
		text := strings.TrimSpace(f.Text)
		if text == "" {
			continue
		}
		whole := utf8.RuneCountInString(text)
		if whole > limit {
			text = strings.TrimSpace(head(text, limit) + fmt.Sprintf("\n[%d of %d characters are shown: the context files are longer than fits. The rest is in the file.]", max(limit, 0), whole))
		}
		limit -= whole
		parts = append(parts, `<context_file path="`+inElement.Replace(f.Path)+"\">\n"+contextTag.ReplaceAllString(text, "&lt;$1")+"\n</context_file>")
	}
	if len(parts) == 0 {
		return ""
	}
	return "Files of your workspace that your operator has you read before every answer:\n" + strings.Join(parts, "\n")
}
