package scale

import (
	"bytes"
	"encoding/binary"
	"image"
)

// segments walks through the marker segments before the pixels of a JPEG (ITU T.81
// annex B) until each says to stop. What is broken ends the walk.
func segments(raw []byte, each func(marker byte, body []byte) bool) {
	if !bytes.HasPrefix(raw, []byte("\xff\xd8")) {
		return
	}
	raw = raw[2:]
	for len(raw) >= 4 && raw[0] == 0xff {
		marker := raw[1]
		if marker == 0xff { // padding
			raw = raw[1:]
			continue
		}
		size := int(binary.BigEndian.Uint16(raw[2:]))
		if marker == 0xda || size < 2 || len(raw) < 2+size || !each(marker, raw[4:2+size]) {
			return
		}
		raw = raw[2+size:]
	}
}

// progressive reports whether a JPEG is, or cannot be told to be none: where its
// frame is not found on the way that decoders do not insist on either.
func progressive(raw []byte) bool {
	is := true
	segments(raw, func(marker byte, _ []byte) bool {
		if frame := marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc; frame {
			is = marker != 0xc0 && marker != 0xc1
			return false
		}
		return true
	})
	return is
}

// orientation is how a JPEG's camera was held, 1 to 8 as Exif has it (tag 0x0112);
// 1, which is upright, for everything that does not say.
func orientation(raw []byte) (how int) {
	how = 1
	segments(raw, func(marker byte, body []byte) bool {
		tiff, found := bytes.CutPrefix(body, []byte("Exif\x00\x00"))
		if marker != 0xe1 || !found || len(tiff) < 8 {
			return true
		}
		var order binary.ByteOrder = binary.BigEndian
		if tiff[0] == 'I' {
			order = binary.LittleEndian
		}
		at := uint64(order.Uint32(tiff[4:]))
		if at+2 > uint64(len(tiff)) {
			return false
		}
		entries := tiff[at+2:]
		for range order.Uint16(tiff[at:]) {
			if len(entries) < 12 {
				return false
			}
			if order.Uint16(entries) == 0x0112 {
				if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
					how = v
				}
				return false
			}
			entries = entries[12:]
		}
		return false
	})
	return how
}

// upright turns and mirrors a picture as its orientation asks for.
func upright(p *image.RGBA, how int) *image.RGBA {
	if how == 1 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if how >= 5 {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			to := [9]image.Point{2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x}}[how]
			copy(out.Pix[out.PixOffset(to.X, to.Y):][:4], p.Pix[p.PixOffset(x, y):])
		}
	}
	return out
}
