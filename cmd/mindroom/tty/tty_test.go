package tty

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 10, ""}, {"short", 10, "short"}, {"one two", 3, "one|two"}, {"one two", 5, "one|two"}, {"onetwo", 3, "one|two"}, {"one  two", 4, "one |two"},
		{"a\n\nb", 10, "a||b"}, {"\tx", 10, "    x"}, {"界界界", 4, "界界|界"}, {"界", 1, "界"}, {"é́é́", 2, "é́é́"}, {" x", 1, " x"}, {"  xyz", 3, " |xyz"},
	} {
		if got := strings.Join(Wrap(c.text, c.columns), "|"); got != c.want {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("one two", 3)
	f.Add("界 \U0001F600\u0301x", 2)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		columns %= 200
		text = PlainLines(text)
		rows := Wrap(text, columns)
		for _, row := range rows {
			if Width(row) > max(columns, 2) {
				t.Errorf("%q is wider than %d", row, columns)
			}
		}
		bare := func(s string) string { return strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s) }
		if got, want := bare(strings.Join(rows, "")), bare(text); got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[2Jb\u202e\u2028\r\n\t")
	f.Fuzz(func(t *testing.T, text string) {
		if got := Plain(text); strings.ContainsFunc(got, Obeyed) || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("Plain(%q) = %q", text, got)
		}
		for _, r := range PlainLines(text) {
			if Obeyed(r) && r != '\n' && r != '\t' {
				t.Errorf("PlainLines(%q) keeps %q", text, r)
			}
		}
	})
}

func TestInputEndsWhileNobodyTypes(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	in, err := NewInput(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("typed"); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	if n, err := in.Read(buf); err != nil || string(buf[:n]) != "typed" {
		t.Fatalf("%q, %v", buf[:n], err)
	}
	ended := make(chan error)
	go func() {
		_, err := in.Read(buf)
		ended <- err
	}()
	in.End()
	in.End()
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v", err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}
