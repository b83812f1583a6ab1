package media

import (
	"image"
	_ "image/gif"  // so that its dimensions are known
	_ "image/jpeg" // likewise
	_ "image/png"  // likewise
	"io"
	"os"

	_ "golang.org/x/image/webp" // likewise
)

// Dimensions are the width and height of a PNG, JPEG, GIF or WebP in pixels;
// 0 of anything else, and of a file that is gone.
func (s *Store) Dimensions(ref Ref) (width, height int) {
	if !ref.Picture() || !digestForm.MatchString(ref.Digest) {
		return 0, 0
	}
	f, err := os.Open(s.path(ref.Digest))
	if err != nil {
		return 0, 0
	}
	defer func() { _ = f.Close() }()
	return DimensionsOf(f)
}

// DimensionsOf are those of a picture that r begins with; 0 of anything but a
// PNG, JPEG, GIF or WebP.
func DimensionsOf(r io.Reader) (width, height int) {
	c, _, err := image.DecodeConfig(r)
	if err != nil {
		return 0, 0
	}
	return c.Width, c.Height
}
