package console

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"

	"mindroom/cmd/mindroom/tty"
)

// Terminal is the screen of a terminal, and the line on which a person types.
// The messages that are being written are the region above that line; it is
// drawn anew at every change, and what is finished scrolls away above it.
type Terminal struct {
	in     input
	out    io.Writer
	colour bool
	size   func() (width, height int)
	term   *term.Terminal
	// restore gives the terminal back.
	restore func() error

	// mu is held while the screen is drawn, and from the moment the key Enter is
	// handed on until the line typed with it is wiped: in between, the cursor is
	// not where drawing expects it.
	mu      sync.Mutex
	entered bool
	// region is how many rows the live messages have on the screen.
	region int
	// width is what the line editor was told last.
	width  int
	where  string
	unread []byte
}

// NewTerminal takes the terminal over until Close. in must read the terminal.
func NewTerminal(in *tty.Input, file, out *os.File, colour bool) (*Terminal, error) {
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return nil, fmt.Errorf("take the terminal over: %w", err)
	}
	t := newTerminal(in, out, colour, func() (int, int) { return tty.Size(out) })
	t.restore = func() error { return term.Restore(int(file.Fd()), before) }
	t.term.SetBracketedPasteMode(true)
	return t, nil
}

// input is where keys come from until End; *tty.Input is one.
type input interface {
	io.Reader
	End()
}

func newTerminal(in input, out io.Writer, colour bool, size func() (width, height int)) *Terminal {
	t := &Terminal{in: in, out: out, colour: colour, size: size}
	t.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{keys{t}, out}, "> ")
	t.fit()
	return t
}

// Close gives the terminal back, with the cursor on a fresh row.
func (t *Terminal) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.term.SetBracketedPasteMode(false)
	_, err := io.WriteString(t.out, "\r\x1b[J")
	return errors.Join(err, t.restore())
}

// keys hands what is typed to the line editor, Enter always alone.
type keys struct{ t *Terminal }

func (k keys) Read(p []byte) (int, error) {
	t := k.t
	if t.entered {
		// Enter did not end a line, as in a paste.
		t.entered = false
		t.mu.Unlock()
	}
	if len(t.unread) == 0 {
		buf := make([]byte, 256)
		n, err := t.in.Read(buf)
		if n == 0 {
			return 0, err
		}
		t.unread = buf[:n]
	}
	n := len(t.unread)
	if i := strings.IndexAny(string(t.unread), "\r\n"); i == 0 {
		n = 1
		t.mu.Lock()
		t.entered = true
	} else if i > 0 {
		n = i
	}
	n = copy(p, t.unread[:n])
	t.unread = t.unread[n:]
	return n, nil
}

// ReadLine is the next line that is typed; io.EOF after Ctrl-C, Ctrl-D, or the
// end of the input. The line disappears: it comes back as a message.
func (t *Terminal) ReadLine() (string, error) {
	line, err := t.term.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	if t.entered {
		t.entered = false
		if err == nil {
			rows := 1 + (tty.Width("> "+t.where+line))/max(t.width, 1)
			_, err = fmt.Fprintf(t.out, "\x1b[%dA\r\x1b[J", rows)
		}
		t.mu.Unlock()
	}
	return line, err
}

// End makes ReadLine end.
func (t *Terminal) End() { t.in.End() }

func (t *Terminal) prompt(where string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.where = where
	t.term.SetPrompt(where + "> ")
	// Draws the line anew, whose cursor would be wrong otherwise; a terminal that
	// is gone is found out by the next message.
	_, _ = t.term.Write(nil)
}

// fit tells the line editor how wide the terminal is now.
func (t *Terminal) fit() (width, height int) {
	width, height = t.size()
	if width != t.width {
		t.width = width
		// The editor only fails where the terminal is gone, which drawing finds out too.
		_ = t.term.SetSize(width, height)
	}
	return width, height
}

func (t *Terminal) show(done, live []block) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	width, height := t.fit()
	var b strings.Builder
	if t.region > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", t.region)
	}
	style := painter{colour: t.colour, width: width}
	for _, one := range done {
		writeRows(&b, style.rows(one))
	}
	rows := style.region(live, height-2)
	writeRows(&b, rows)
	t.region = len(rows)
	_, err := io.WriteString(t.term, b.String())
	return err
}

func (t *Terminal) note(text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	width, _ := t.fit()
	var b strings.Builder
	if t.region > 0 {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", t.region)
		t.region = 0
	}
	for _, row := range tty.Wrap(tty.PlainLines(text), width) {
		b.WriteString(painter{colour: t.colour}.paint("2", row) + "\n")
	}
	_, err := io.WriteString(t.term, b.String())
	return err
}

func writeRows(b *strings.Builder, rows []string) {
	for _, row := range rows {
		b.WriteString(row + "\n")
	}
}
