package scale

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"
)

// halves is a picture whose upper half is red and whose lower half is blue.
func halves(w, h int) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{R: 255, A: 255}
			if y >= h/2 {
				c = color.RGBA{B: 255, A: 255}
			}
			p.SetRGBA(x, y, c)
		}
	}
	return p
}

func asPNG(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// padded is a picture file that is too large to be shown as it is: what follows
// the end of a picture is nothing to a decoder.
func padded(raw []byte) []byte { return append(bytes.Clone(raw), make([]byte, MaxShown)...) }

// turned is a JPEG of a camera that was held in one of Exif's eight ways.
func turned(raw []byte, how byte, order binary.ByteOrder) []byte {
	mark := "MM"
	if order == binary.LittleEndian {
		mark = "II"
	}
	tiff := []byte(mark + "\x00\x00\x00\x00\x00\x00")
	order.PutUint16(tiff[2:], 42)
	order.PutUint32(tiff[4:], 8)
	ifd := make([]byte, 2+12+4)
	order.PutUint16(ifd, 1)
	order.PutUint16(ifd[2:], 0x0112)
	order.PutUint16(ifd[4:], 3)
	order.PutUint32(ifd[6:], 1)
	order.PutUint16(ifd[10:], uint16(how))
	body := append([]byte("Exif\x00\x00"), append(tiff, ifd...)...)
	out := []byte{0xff, 0xd8, 0xff, 0xe1, 0, 0}
	binary.BigEndian.PutUint16(out[4:], uint16(len(body)+2))
	return append(append(out, body...), raw[2:]...)
}

func TestFit(t *testing.T) {
	t.Parallel()
	noise := image.NewRGBA(image.Rect(0, 0, 1500, 1500))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32())
	}
	clear := image.NewNRGBA(image.Rect(0, 0, 40, 30)) // nothing but transparency
	var moving bytes.Buffer
	frame := image.NewPaletted(image.Rect(0, 0, 40, 30), color.Palette{color.White, color.Black})
	if err := gif.EncodeAll(&moving, &gif.GIF{Image: []*image.Paletted{frame, frame}, Delay: []int{1, 1}}); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		raw     []byte
		smaller bool
		w, h    int
	}{
		"small":                     {asPNG(t, halves(40, 30)), false, 40, 30},
		"small and not understood":  {[]byte("\x89PNG\r\n\x1a\nbut no more"), false, 0, 0},
		"large in bytes":            {padded(asPNG(t, halves(40, 30))), true, 40, 30},
		"a JPEG":                    {padded(asJPEG(t, halves(4000, 3000))), true, 2000, 1500},
		"by no whole factor":        {padded(asJPEG(t, halves(3000, 1500))), true, 2000, 1000},
		"an animation":              {padded(moving.Bytes()), true, 40, 30},
		"a WebP":                    {padded(webpPixel), true, 1, 1},
		"transparent":               {padded(asPNG(t, clear)), true, 40, 30},
		"noise":                     {asPNG(t, noise), true, 1500, 1500},
		"few bytes, too wide":       {asPNG(t, image.NewGray(image.Rect(0, 0, MaxSide+1, 1))), true, 2000, 1},
		"a camera held on its side": {padded(turned(asJPEG(t, halves(40, 30)), 6, binary.BigEndian)), true, 30, 40},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown, smaller, err := Fit(c.raw)
			if err != nil || smaller != c.smaller || !smaller && !bytes.Equal(shown, c.raw) || len(shown) > MaxShown {
				t.Fatalf("%d bytes, smaller %v, %v", len(shown), smaller, err)
			}
			got, _, err := image.DecodeConfig(bytes.NewReader(shown))
			if c.w > 0 && err != nil || got.Width != c.w || got.Height != c.h {
				t.Errorf("%d × %d, %v; want %d × %d", got.Width, got.Height, err, c.w, c.h)
			}
			if again, _, err := Fit(c.raw); err != nil || !bytes.Equal(again, shown) {
				t.Errorf("the second time it is another: %v", err)
			}
		})
	}
	shown, _, _ := Fit(cases["transparent"].raw)
	if p, err := jpeg.Decode(bytes.NewReader(shown)); err != nil || !near(p.At(20, 15), color.White) {
		t.Errorf("what shows through is %v, %v", p, err)
	}
}

func near(c, want color.Color) bool {
	r, g, b, _ := c.RGBA()
	x, y, z, _ := want.RGBA()
	far := func(a, b uint32) bool { return max(a, b)-min(a, b) > 0x3000 }
	return !far(r, x) && !far(g, y) && !far(b, z)
}

// However a camera was held, what was above is above (Exif 2.32, 4.6.4).
func TestUpright(t *testing.T) {
	t.Parallel()
	red, blue := color.RGBA{R: 255, A: 255}, color.RGBA{B: 255, A: 255}
	for how, want := range map[byte]struct{ at, red, blue image.Point }{
		1: {image.Pt(400, 300), image.Pt(200, 40), image.Pt(200, 260)},
		2: {image.Pt(400, 300), image.Pt(200, 40), image.Pt(200, 260)},
		3: {image.Pt(400, 300), image.Pt(200, 260), image.Pt(200, 40)},
		4: {image.Pt(400, 300), image.Pt(200, 260), image.Pt(200, 40)},
		5: {image.Pt(300, 400), image.Pt(40, 200), image.Pt(260, 200)},
		6: {image.Pt(300, 400), image.Pt(260, 200), image.Pt(40, 200)},
		7: {image.Pt(300, 400), image.Pt(260, 200), image.Pt(40, 200)},
		8: {image.Pt(300, 400), image.Pt(40, 200), image.Pt(260, 200)},
	} {
		for _, order := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
			shown, _, err := Fit(padded(turned(asJPEG(t, halves(400, 300)), how, order)))
			if err != nil {
				t.Fatal(err)
			}
			p, err := jpeg.Decode(bytes.NewReader(shown))
			if err != nil || p.Bounds().Max != want.at || !near(p.At(want.red.X, want.red.Y), red) || !near(p.At(want.blue.X, want.blue.Y), blue) {
				t.Errorf("%v, held %d: %v, red at %v is %v", order, how, p.Bounds(), want.red, p.At(want.red.X, want.red.Y))
			}
		}
	}
}

// claims is a PNG of a few bytes whose header claims a size.
func claims(w, h uint32) []byte {
	head := make([]byte, 17)
	copy(head, "IHDR")
	binary.BigEndian.PutUint32(head[4:], w)
	binary.BigEndian.PutUint32(head[8:], h)
	copy(head[12:], "\x08\x06\x00\x00\x00")
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

// Invariant 1: what claims to be huge is told by its header, and costs nothing.
func TestBombs(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string][]byte{
		"claims":                claims(100_000, 100_000),
		"claims more than fits": padded(claims(1<<31-1, 1<<31-1)),
		"padded":                padded(claims(7000, 7000)),
		"no picture":            padded([]byte("\x89PNG\r\n\x1a\n")),
		"broken":                padded(asJPEG(t, halves(4000, 3000))[:2000]),
		"too many bytes":        append(asPNG(t, halves(40, 30)), make([]byte, MaxBytes)...),
	} {
		if shown, _, err := Fit(raw); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %d bytes, %v", name, len(shown), err)
		}
	}
}

// A progressive JPEG keeps every coefficient until its end, so it may have fewer
// pixels than another.
func TestProgressive(t *testing.T) {
	t.Parallel()
	plain := asJPEG(t, halves(40, 30))
	at := bytes.Index(plain, []byte{0xff, 0xc0})
	if at < 0 {
		t.Fatal("the encoder writes no baseline frame")
	}
	other := bytes.Clone(plain)
	other[at+1] = 0xc2
	if progressive(plain) || !progressive(other) || !progressive(plain[:at]) {
		t.Errorf("plain %v, progressive %v, without a frame %v", progressive(plain), progressive(other), progressive(plain[:at]))
	}
	if c, d := cost(plain, color.YCbCrModel), cost(other, color.YCbCrModel); c >= d {
		t.Errorf("a pixel costs %d, and %d of a progressive one", c, d)
	}
}

func FuzzFit(f *testing.F) {
	f.Add(asPNG(f, halves(4, 3)), true)
	f.Add(turned(asJPEG(f, halves(4, 3)), 6, binary.LittleEndian), true)
	f.Add(webpPixel, true)
	f.Add(claims(9000, 2), false)
	f.Fuzz(func(t *testing.T, raw []byte, large bool) {
		if large {
			raw = padded(raw)
		}
		shown, smaller, err := Fit(raw)
		switch {
		case err != nil && !errors.Is(err, ErrTooLarge):
			t.Fatal(err)
		case err == nil && (len(shown) > MaxShown || !smaller && !bytes.Equal(shown, raw)):
			t.Fatalf("%d bytes, smaller %v", len(shown), smaller)
		}
	})
}

// webpPixel is one pixel, lossless.
var webpPixel = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
