package console

import (
	"io"
	"strconv"
	"strings"
	"testing"
)

// glass is what a person sees: it obeys the control sequences the screen uses.
type glass struct {
	t        *testing.T
	width    int
	rows     [][]rune
	row, col int
}

func (g *glass) Write(p []byte) (int, error) {
	for text := []rune(string(p)); len(text) > 0; {
		switch text[0] {
		case '\r':
			g.col = 0
		case '\n':
			g.row++
		case '\x1b':
			end := 2
			for text[end] >= '0' && text[end] <= '9' || text[end] == '?' {
				end++
			}
			g.obey(string(text[2:end]), text[end])
			text = text[end:]
		default:
			if g.col == g.width {
				g.row, g.col = g.row+1, 0
			}
			g.at()
			g.rows[g.row][g.col] = text[0]
			g.col++
		}
		text = text[1:]
	}
	return len(p), nil
}

func (g *glass) at() {
	for len(g.rows) <= g.row {
		g.rows = append(g.rows, []rune(strings.Repeat(" ", g.width)))
	}
}

func (g *glass) obey(arg string, what rune) {
	n, err := strconv.Atoi(arg)
	if err != nil || n == 0 {
		n = 1
	}
	switch what {
	case 'A':
		if g.row -= n; g.row < 0 {
			g.t.Error("the cursor was moved above the screen")
			g.row = 0
		}
	case 'B':
		g.row += n
	case 'C':
		g.col += n
	case 'D':
		g.col = max(g.col-n, 0)
	case 'K':
		g.at()
		copy(g.rows[g.row][min(g.col, g.width):], []rune(strings.Repeat(" ", g.width)))
	case 'J':
		g.at()
		copy(g.rows[g.row][min(g.col, g.width):], []rune(strings.Repeat(" ", g.width)))
		g.rows = g.rows[:g.row+1]
	default:
		g.t.Errorf("unexpected sequence %s%c", arg, what)
	}
}

func (g *glass) String() string {
	var b strings.Builder
	for _, row := range g.rows {
		b.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return b.String()
}

// fingers type into a terminal.
type fingers struct{ *io.PipeReader }

func (f fingers) End() { _ = f.Close() }

func newGlass(t *testing.T) (*glass, *Terminal, *io.PipeWriter) {
	g := &glass{t: t, width: 24}
	r, w := io.Pipe()
	t.Cleanup(func() { _ = w.Close() })
	return g, newTerminal(fingers{r}, g, false, func() (int, int) { return g.width, 12 }), w
}

func (g *glass) want(t *testing.T, want string) {
	t.Helper()
	if got := g.String(); got != want {
		t.Errorf("on the screen:\n%s\nwant:\n%s", got, want)
	}
}

func someBlock(sender, text, mark string) block {
	return block{At: instant.Local(), Sender: sender, Text: text, Mark: mark, Here: true}
}

func head(rest string) string { return instant.Local().Format("15:04") + " " + rest + "\n" }

func TestAnAnswerGrowsInPlace(t *testing.T) {
	t.Parallel()
	g, term, _ := newGlass(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(term.show([]block{someBlock("Ann", "hello", "")}, nil))
	must(term.show(nil, []block{someBlock("Keeper", "one two", "writing …")}))
	g.want(t, head("Ann")+"  hello\n"+head("Keeper (writing …)")+"  one two\n")
	must(term.show(nil, []block{someBlock("Keeper", "one two three four five six", "writing …")}))
	g.want(t, head("Ann")+"  hello\n"+head("Keeper (writing …)")+"  one two three four\n  five six\n")
	// Somebody else interrupts: what is finished stays above what is being written.
	must(term.show([]block{someBlock("Bea", "wait", "")}, []block{someBlock("Keeper", "short", "writing …")}))
	g.want(t, head("Ann")+"  hello\n"+head("Bea")+"  wait\n"+head("Keeper (writing …)")+"  short\n")
	must(term.note("a note"))
	must(term.show([]block{someBlock("Keeper", "done", "")}, nil))
	g.want(t, head("Ann")+"  hello\n"+head("Bea")+"  wait\na note\n"+head("Keeper")+"  done\n")
}

func TestALongAnswerKeepsItsEndInSight(t *testing.T) {
	t.Parallel()
	g, term, _ := newGlass(t)
	var text []string
	for i := range 50 {
		text = append(text, "row "+strconv.Itoa(i))
	}
	long := strings.Join(text, "\n")
	if err := term.show(nil, []block{someBlock("Keeper", long, "writing …")}); err != nil {
		t.Fatal(err)
	}
	g.want(t, head("Keeper (writing …)")+"  "+strings.Join(text[41:], "\n  ")+"\n")
	if err := term.show([]block{someBlock("Keeper", long, "")}, nil); err != nil {
		t.Fatal(err)
	}
	g.want(t, head("Keeper")+"  "+strings.Join(text, "\n  ")+"\n")
}

func TestTypedLinesDisappear(t *testing.T) {
	t.Parallel()
	g, term, keys := newGlass(t)
	read := make(chan string)
	go func() {
		defer close(read)
		for {
			line, err := term.ReadLine()
			if err != nil {
				return
			}
			read <- line
		}
	}()
	typed := func(text string) {
		t.Helper()
		if _, err := io.WriteString(keys, text); err != nil {
			t.Fatal(err)
		}
	}
	// Two writes: when the second is taken, the first was acted on.
	typed("unfinished")
	typed(" li")
	if err := term.show([]block{someBlock("Ann", "hello", "")}, []block{someBlock("Keeper", "hm", "writing …")}); err != nil {
		t.Fatal(err)
	}
	typed("ne that is longer than a row\rnext")
	if got := <-read; got != "unfinished line that is longer than a row" {
		t.Errorf("read %q", got)
	}
	typed("\r")
	if got := <-read; got != "next" {
		t.Errorf("read %q", got)
	}
	if err := term.show([]block{someBlock("Keeper", "done", "")}, nil); err != nil {
		t.Fatal(err)
	}
	typed("\x03")
	<-read
	if got, want := g.String(), head("Ann")+"  hello\n"+head("Keeper")+"  done\n>\n"; got != want && got != strings.TrimSuffix(want, ">\n") {
		t.Errorf("on the screen:\n%s\nwant:\n%s", got, want)
	}
}
