package scale

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/gif" // the first frame of an animation
	"image/jpeg"
	_ "image/png" // likewise known

	scaler "golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // likewise known

	"mindroom/internal/lifecycle"
)

const (
	// MaxShown is the largest picture in bytes that a model is shown as it is:
	// providers take 5 MiB in base64.
	MaxShown = 3_700_000
	// MaxSide is the largest width and height in pixels of such a picture: some
	// providers refuse more.
	MaxSide = 8000
	// MaxBytes is the largest picture in bytes that is made smaller.
	MaxBytes = 32 << 20
	// side is the width and height that a picture made smaller has at most; more
	// is scaled down by providers anyway.
	side = 2000
	// maxDecoded bounds the memory in bytes that a picture may take while decoded.
	maxDecoded = 160 << 20
)

// ErrTooLarge is of a picture that can be shown neither as it is nor made smaller:
// too many pixels, or too large and not to be understood.
var ErrTooLarge = errors.New("the picture is too large to be shown")

// Fit is the picture as a model may be shown it: raw itself where that is small
// enough, else a JPEG, which smaller says. The error wraps ErrTooLarge.
func Fit(raw []byte) (shown []byte, smaller bool, err error) {
	config, _, err := image.DecodeConfig(bytes.NewReader(raw))
	switch {
	case err != nil && len(raw) <= MaxShown:
		return raw, false, nil // not understood here; the provider may
	case err != nil:
		return nil, false, fmt.Errorf("%w: %w", ErrTooLarge, err)
	case len(raw) <= MaxShown && config.Width <= MaxSide && config.Height <= MaxSide:
		return raw, false, nil
	case len(raw) > MaxBytes, config.Width <= 0, config.Height <= 0:
		return nil, false, fmt.Errorf("%w: %d bytes, %d × %d pixels", ErrTooLarge, len(raw), config.Width, config.Height)
	case int64(config.Width) > maxDecoded/cost(raw, config.ColorModel)/int64(config.Height):
		return nil, false, fmt.Errorf("%w: %d × %d pixels", ErrTooLarge, config.Width, config.Height)
	}
	err = lifecycle.Call(func() error {
		whole, _, err := image.Decode(bytes.NewReader(raw))
		if err != nil {
			return err
		}
		shown, err = encode(upright(reduce(whole), orientation(raw)))
		return err
	})
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrTooLarge, err)
	}
	return shown, true, nil
}

// cost is how many bytes of memory a pixel takes at most while it is decoded.
func cost(raw []byte, model color.Model) int64 {
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xd8")):
		if progressive(raw) {
			return 20 // every coefficient is kept until the end
		}
		return 4
	case bytes.HasPrefix(raw, []byte("RIFF")):
		return 10
	case model == color.RGBA64Model, model == color.NRGBA64Model:
		return 16 // twice, where it is interlaced
	}
	return 8
}

// reduce scales a picture to at most side pixels: first by a whole factor, strip by
// strip, so that every pixel counts and little memory is needed, then the rest.
func reduce(whole image.Image) *image.RGBA {
	b := whole.Bounds()
	longest := max(b.Dx(), b.Dy())
	factor := max(longest/side, 1)
	width, height := max(b.Dx()/factor, 1), max(b.Dy()/factor, 1)
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	strip := image.NewRGBA(image.Rect(0, 0, b.Dx(), factor))
	for y := range height {
		draw.Draw(strip, strip.Bounds(), image.White, image.Point{}, draw.Src)
		draw.Draw(strip, strip.Bounds(), whole, image.Pt(b.Min.X, b.Min.Y+y*factor), draw.Over)
		for x := range width {
			average(out.Pix[out.PixOffset(x, y):], strip, x*factor, factor)
		}
	}
	if longest = max(width, height); longest <= side {
		return out
	}
	small := image.NewRGBA(image.Rect(0, 0, max(width*side/longest, 1), max(height*side/longest, 1)))
	scaler.ApproxBiLinear.Scale(small, small.Bounds(), out, out.Bounds(), draw.Src, nil)
	return small
}

// average writes the mean of a square of the strip, without what lies beyond it.
func average(pixel []byte, strip *image.RGBA, left, factor int) {
	var sum [3]int
	n := 0
	for y := range factor {
		for x := left; x < min(left+factor, strip.Rect.Dx()); x++ {
			at := strip.Pix[strip.PixOffset(x, y):]
			for c := range sum {
				sum[c] += int(at[c])
			}
			n++
		}
	}
	for c := range sum {
		pixel[c] = byte(sum[c] / max(n, 1))
	}
	pixel[3] = 0xff
}

// encode writes a picture, worse if that is what it takes.
func encode(picture *image.RGBA) ([]byte, error) {
	for _, quality := range []int{85, 50, 20} {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, picture, &jpeg.Options{Quality: quality}); err != nil {
			return nil, err
		}
		if b.Len() <= MaxShown {
			return b.Bytes(), nil
		}
	}
	return nil, errors.New("it cannot be made smaller")
}
