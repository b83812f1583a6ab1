package canonical

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// oracle is a running CPython that says what the canonical form of a document is.
type oracle struct {
	in  io.WriteCloser
	out *bufio.Reader
}

func startOracle(t testing.TB) *oracle {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: the comparison with CPython needs it; the golden vectors are checked without it")
	}
	cmd := exec.Command(python, "-I", "testdata/oracle.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("oracle: %v", err)
		}
	})
	return &oracle{in: in, out: bufio.NewReader(out)}
}

// compare fails the test unless both sides give the same bytes or both refuse.
func (o *oracle) compare(t testing.TB, input []byte) {
	t.Helper()
	if _, err := fmt.Fprintf(o.in, "%x\n", input); err != nil {
		t.Fatal(err)
	}
	line, err := o.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	doc, err := Parse(input, Limits{})
	line = strings.TrimSuffix(line, "\n")
	if line == "!" {
		if err == nil {
			t.Errorf("CPython refuses what was read as %s: %q", doc.Canonical(), input)
		}
		return
	}
	if err != nil {
		t.Errorf("CPython reads what was refused: %q: %v", input, err)
	} else if got := hex.EncodeToString(doc.Canonical()); got != line {
		want, _ := hex.DecodeString(line)
		t.Errorf("%q\n got %s\nwant %s", input, doc.Canonical(), want)
	}
}

func TestSameAsCPython(t *testing.T) {
	t.Parallel()
	o := startOracle(t)
	all := loadVectors(t)
	for _, v := range all.Accept {
		o.compare(t, []byte(v.Input))
	}
	for i, v := range all.Reject {
		if v.Kind == KindOverflow && len(all.rejected(t, i)) > maxIntegerDigits {
			continue // only newer interpreters bound the digits
		}
		o.compare(t, all.rejected(t, i))
	}
	seed := rand.Uint64()
	g := generator{rand.New(rand.NewPCG(seed, 0))}
	for range 5000 {
		o.compare(t, g.document())
	}
	for range 5000 {
		f := math.Float64frombits(g.Uint64())
		o.compare(t, strconv.AppendFloat(nil, f, 'e', g.IntN(20), 64))
		o.compare(t, strconv.AppendFloat(nil, math.Round(f), 'f', -1, 32))
	}
	if t.Failed() {
		t.Logf("seed %d", seed)
	}
}

// generator makes documents that lie near the borders: odd spacing, escapes, numbers, and now and then a broken byte.
type generator struct{ *rand.Rand }

func (g generator) document() []byte {
	text := []byte(g.value(0))
	if g.IntN(4) == 0 && len(text) > 0 {
		switch i := g.IntN(len(text)); g.IntN(3) {
		case 0:
			text[i] = byte(g.IntN(256))
		case 1:
			text = text[:i]
		default:
			text = append(text[:i:i], text[i+1:]...)
		}
	}
	return text
}

func (g generator) pick(options ...string) string { return options[g.IntN(len(options))] }

func (g generator) space() string { return g.pick("", "", "", " ", "\n\t", "\r ") }

func (g generator) value(depth int) string {
	kind := g.IntN(8)
	if depth > 5 {
		kind = g.IntN(6)
	}
	switch {
	case kind < 2:
		return g.number()
	case kind < 4:
		return g.text()
	case kind < 6:
		return g.pick("true", "false", "null", "[]", "{}", "NaN", "-Infinity", "1e400", `"\ud800"`, "-0", "0.0")
	}
	var parts []string
	for range g.IntN(6) {
		part := g.space() + g.value(depth+1) + g.space()
		if kind == 7 {
			part = g.space() + g.text() + g.space() + ":" + part
		}
		parts = append(parts, part)
	}
	if kind == 7 {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (g generator) number() string {
	n := g.pick("", "-") + g.pick("0", "1", "9", "10", "9007199254740993", strconv.FormatUint(g.Uint64(), 10), strconv.Itoa(g.IntN(100)))
	if g.IntN(2) == 0 {
		n += g.pick(".0", ".5", ".10", ".000001", "."+strconv.FormatUint(g.Uint64(), 10))
	}
	if g.IntN(3) == 0 {
		n += g.pick("e", "E") + g.pick("", "+", "-") + strconv.Itoa(g.IntN(340))
	}
	return n
}

func (g generator) text() string {
	var b strings.Builder
	b.WriteByte('"')
	for range g.IntN(6) {
		b.WriteString(g.pick("a", "b", "é", "😀", "\uffff", "\u2028", "\x7f", "<", "&", "/", `\/`, `\"`, `\\`, `\n`, `\b`, `\u0000`, `\u001F`,
			`\u00e9`, `\ud83d\ude00`, `\uffff`, `\ud83d`, `\u0061`))
	}
	b.WriteByte('"')
	return b.String()
}

func FuzzParse(f *testing.F) {
	all := loadVectors(f)
	for _, v := range all.Accept {
		f.Add([]byte(v.Input))
	}
	for i := range all.Reject {
		f.Add(all.rejected(f, i))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		doc, err := Parse(input, Limits{})
		if err != nil {
			var e *SyntaxError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(input) || e.Kind == "" {
				t.Fatalf("%v is no usable error", err)
			}
			return
		}
		again, err := Parse(doc.Canonical(), Limits{})
		if err != nil || again.Digest() != doc.Digest() || string(again.Raw()) != string(doc.Canonical()) {
			t.Fatalf("canonical form %s is not its own canonical form: %s, %v", doc.Canonical(), again.Canonical(), err)
		}
		var value any
		if err := doc.Decode(&value); err != nil {
			t.Fatal(err)
		}
		back, err := FromValue(value)
		if err != nil || back.Digest() != doc.Digest() {
			t.Fatalf("decoding changed %s to %s: %v", doc.Canonical(), back.Canonical(), err)
		}
	})
}

// FuzzSameAsCPython is apart from FuzzParse because a process in the loop makes it a hundred times slower.
func FuzzSameAsCPython(f *testing.F) {
	o := startOracle(f)
	for _, v := range loadVectors(f).Accept {
		f.Add([]byte(v.Input))
	}
	f.Fuzz(func(t *testing.T, input []byte) { o.compare(t, input) })
}
