package media

import (
	"mime"
	"net/http"
	"path"
	"strings"

	"mindroom/internal/excerpt"
)

// Ref names a file of a Store. The zero Ref names none.
type Ref struct {
	// Digest is the SHA-256 of the bytes in lower-case hex.
	Digest string `json:"digest"`
	// MIME is the media type without parameters, "image/png" for instance.
	MIME string `json:"mime"`
	// Name is a file name to show; may be empty.
	Name string `json:"name,omitempty"`
	// Size is in bytes; 0 when unknown.
	Size int64 `json:"size,omitempty"`
}

// Zero reports whether r names no file.
func (r Ref) Zero() bool { return r.Digest == "" }

// Kind is what a file is to people.
type Kind string

// The kinds, named as Matrix names its messages without their "m.".
const (
	Image Kind = "image"
	Audio Kind = "audio"
	Video Kind = "video"
	File  Kind = "file" // anything else
)

// Kind is what the file is to people.
func (r Ref) Kind() Kind {
	top, _, _ := strings.Cut(r.MIME, "/")
	switch k := Kind(top); k {
	case Image, Audio, Video:
		return k
	}
	return File
}

// Picture reports whether the file is a picture that language models take: PNG,
// JPEG, GIF or WebP.
func (r Ref) Picture() bool { return picture(r.MIME) }

func picture(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// unknownType is the type of bytes of which nothing is known.
const unknownType = "application/octet-stream"

// TypeOf is the media type of a file that begins with head (512 bytes are
// enough) and is claimed to be of a type and name; both may be empty. A picture
// is told by its content alone: a provider refuses a whole conversation for one
// picture that is none.
func TypeOf(head []byte, claimed, name string) string {
	found, _, _ := strings.Cut(http.DetectContentType(head), ";")
	claimed = cleanType(claimed)
	if claimed == "" || claimed == unknownType {
		claimed = cleanType(mime.TypeByExtension(path.Ext(name)))
	}
	switch {
	case picture(found):
		return found
	case picture(claimed), claimed == "" && found == "":
		return unknownType
	case claimed == "":
		return found
	}
	return claimed
}

func cleanType(s string) string {
	t, _, err := mime.ParseMediaType(s)
	if err != nil || len(t) > 100 || !strings.Contains(t, "/") {
		return ""
	}
	return t
}

// maxName bounds a file name in bytes.
const maxName = 200

// CleanName is a name as it may be shown and sent: the last part of a path, in
// one line, without what hides or reverses text, at most 200 bytes. "" stays "".
func CleanName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r == 0x7f, r >= 0x80 && r < 0xa0, r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	name = strings.TrimSpace(name)
	if len(name) <= maxName {
		return name
	}
	ext := path.Ext(name)
	if len(ext) > 20 {
		ext = ""
	}
	return strings.TrimSpace(excerpt.Head(name, maxName-len(ext))) + ext
}
