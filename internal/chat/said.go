package chat

import "strings"

// voicePrefix begins the transcript of a voice message.
const voicePrefix = "🎤"

// Said is a body without what it quotes: the fallback of a reply and fenced
// code. It is what the sender says in their own words.
func Said(body string) string {
	lines := strings.Split(body, "\n")
	if strings.HasPrefix(lines[0], "> <") || strings.HasPrefix(lines[0], "> * <") {
		for len(lines) > 0 && strings.HasPrefix(lines[0], ">") {
			lines = lines[1:]
		}
	}
	var said []string
	fence := ""
	for _, line := range lines {
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		default:
			said = append(said, line)
		}
	}
	return strings.TrimSpace(strings.Join(said, "\n"))
}

// Command is what a body says to the program itself, from its "!" on; false for
// a message to anybody else (spec/runtime.md 4).
func Command(body string) (text string, ok bool) {
	text = strings.TrimSpace(strings.TrimPrefix(Said(body), voicePrefix))
	return text, strings.HasPrefix(text, "!")
}

// Spoken reports whether a body says that it is the transcript of a voice
// message. Believing it can only refuse something.
func Spoken(body string) bool { return strings.HasPrefix(Said(body), voicePrefix) }
