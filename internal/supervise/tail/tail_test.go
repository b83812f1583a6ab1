package tail

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memory is a file of bytes.
type memory struct{ b []byte }

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if need := int(at) + len(p); need > len(m.b) {
		m.b = append(m.b, make([]byte, need-len(m.b))...)
	}
	return copy(m.b[at:], p), nil
}

func (m *memory) ReadAt(p []byte, at int64) (int, error) { return bytes.NewReader(m.b).ReadAt(p, at) }

// Against the simplest model there is: all bytes ever written.
func TestTailIsTheEndOfTheStream(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 40).Draw(t, "size")
		f := &memory{}
		w, err := Create(f, size)
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				p := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "p")
				if n, err := w.Write(p); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
				all = append(all, p...)
			},
			"read": func(t *rapid.T) {
				from := rapid.IntRange(-5, len(all)+5).Draw(t, "from")
				most := rapid.IntRange(0, 60).Draw(t, "max")
				c, err := Read(f, int64(from), most)
				if err != nil {
					t.Fatal(err)
				}
				lo := min(max(from, len(all)-size, 0), len(all))
				hi := len(all)
				if most > 0 {
					hi = min(hi, lo+most)
				}
				if c.Start != int64(lo) || c.Total != int64(len(all)) || !bytes.Equal(c.Data, all[lo:hi]) {
					t.Fatalf("from %d max %d of %d: start %d, %q; want %q", from, most, len(all), c.Start, c.Data, all[lo:hi])
				}
			},
			"": func(t *rapid.T) {
				c, err := Last(f, size)
				if err != nil || !bytes.Equal(c.Data, all[max(0, len(all)-size):]) || w.Total() != int64(len(all)) {
					t.Fatalf("last %q, %v", c.Data, err)
				}
				if s := c.Text(size); !utf8.ValidString(s) || len(s) > size {
					t.Fatalf("text %q", s)
				}
			},
		})
	})
}

// Sentence 2: what a reader gets while the writer runs on is what was written there. The stream is its own offsets.
func TestReadWhileWriting(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w, err := Create(f, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for at := int64(0); ; {
				c, err := Read(f, at, 0)
				if err != nil && !errors.Is(err, ErrDamaged) {
					t.Error(err)
					return
				}
				for i, b := range c.Data {
					if b != byte((c.Start+int64(i))%251) {
						t.Errorf("at %d: %d", c.Start+int64(i), b)
						return
					}
				}
				if err == nil {
					at = c.Next()
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	p := make([]byte, 137)
	for range 20000 {
		for i := range p {
			p[i] = byte((w.Total() + int64(i)) % 251)
		}
		if _, err := w.Write(p); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
}

// Sentence 3: killed between any two of its writes, the writer leaves a tail that can be read, and nothing wrong in it.
func TestKilledBetweenSteps(t *testing.T) {
	t.Parallel()
	for steps := range 12 {
		f := &memory{}
		w, err := Create(f, 8)
		if err != nil {
			t.Fatal(err)
		}
		w.f = &failing{f: f, left: steps}
		_, _ = w.Write([]byte("abcdef"))
		_, _ = w.Write([]byte("ghijkl"))
		c, err := Read(f, 0, 0)
		if err != nil {
			t.Fatalf("after %d writes: %v", steps, err)
		}
		if want := "abcdefghijkl"[c.Start:c.Next()]; string(c.Data) != want {
			t.Errorf("after %d writes: %q at %d, want %q", steps, c.Data, c.Start, want)
		}
	}
}

// failing drops every write after the first ones, as death does.
type failing struct {
	f    *memory
	left int
}

func (f *failing) WriteAt(p []byte, at int64) (int, error) {
	if f.left == 0 {
		return 0, errors.New("dead")
	}
	f.left--
	return f.f.WriteAt(p, at)
}

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		data  string
		start int64
		limit int
		want  string
	}{
		{"abc", 0, 10, "abc"}, {"abc", 0, 2, "bc"}, {"\x82\xacx", 5, 10, "x"}, {"\x82\xacx", 0, 10, "\uFFFDx"}, {"x€", 0, 3, "€"}, {"x€", 0, 2, ""},
		{"\xff\xff", 0, 2, ""}, {"\x80\x80\x80\x80x", 1, 10, "\uFFFDx"}, {"", 0, 0, ""},
	} {
		if got := (Chunk{Data: []byte(c.data), Start: c.start}).Text(c.limit); got != c.want {
			t.Errorf("%q from %d, at most %d: %q, want %q", c.data, c.start, c.limit, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	m := &memory{}
	w, err := Create(m, 16)
	if err != nil {
		f.Fatal(err)
	}
	_, _ = w.Write([]byte(strings.Repeat("x", 20)))
	f.Add(m.b, int64(0), 0)
	f.Add([]byte(magic), int64(3), 4)
	f.Fuzz(func(t *testing.T, b []byte, from int64, most int) {
		c, err := Read(bytes.NewReader(b), from, most)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("an error of another kind: %v", err)
			}
			return
		}
		if c.Next() > c.Total || len(c.Data) > len(b) {
			t.Errorf("%d bytes up to %d of %d", len(c.Data), c.Next(), c.Total)
		}
	})
}
