package console

import (
	"hash/fnv"

	"mindroom/cmd/mindroom/tty"
)

// painter turns blocks into the rows of a terminal.
type painter struct {
	colour bool
	width  int
}

const indent = "  "

// rows are the rows of one message: its head, then its text.
func (p painter) rows(b block) []string {
	head := p.paint("2", b.At.Local().Format("15:04")+" ")
	name := tty.Plain(b.Sender)
	if b.Own {
		head += p.paint("1", name)
	} else {
		head += p.paint(inkOf(name), name)
	}
	if rest := label(b)[len(name):]; rest != "" {
		head += p.paint("2", rest)
	}
	rows := []string{head}
	for _, row := range tty.Wrap(tty.PlainLines(b.Text), p.width-len(indent)) {
		if !b.Here {
			row = p.paint("2", row)
		}
		rows = append(rows, indent+row)
	}
	return rows
}

// region are the rows of the messages that are being written, at most height of
// them: a message too long for its share shows its end, where the writing is.
func (p painter) region(live []block, height int) []string {
	if len(live) == 0 {
		return nil
	}
	share := max(height/len(live), 2)
	var rows []string
	for _, b := range live {
		of := p.rows(b)
		if len(of) > share {
			of = append(of[:1:1], of[len(of)-share+1:]...)
		}
		rows = append(rows, of...)
	}
	if len(rows) > max(height, 1) {
		rows = rows[len(rows)-max(height, 1):]
	}
	return rows
}

func (p painter) paint(ink, text string) string {
	if !p.colour {
		return text
	}
	return "\x1b[" + ink + "m" + text + "\x1b[0m"
}

// inkOf gives every name a colour of its own that is the same each time.
func inkOf(name string) string {
	inks := []string{"36", "32", "33", "35", "34", "96", "92", "95"}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return inks[h.Sum32()%uint32(len(inks))]
}
