package chat

import (
	"encoding/json"
	"strings"

	"mindroom/internal/media"
)

// File is a file that a message carries, as its sender describes it. Nothing in
// it is to be relied upon.
type File struct {
	Kind media.Kind
	// Name is a file name as it may be shown; never empty.
	Name string
	MIME string // media type; may be empty
	Size int64  // bytes; 0 when it is not said
	// URL is where it is: "mxc://server/id".
	URL string
	// Key is the object by which it is decrypted; nil for one that is not
	// encrypted.
	Key json.RawMessage
	// Caption is what was said about it; empty for none.
	Caption string
}

// ParseFile reads the file of a message's content; false when it carries none.
// The body of such a message is its file's name, unless "filename" says another:
// then it is a caption.
func ParseFile(content json.RawMessage) (File, bool) {
	c := object(content)
	f := File{URL: text(c["url"])}
	switch kind := media.Kind(strings.TrimPrefix(text(c["msgtype"]), "m.")); kind {
	case media.Image, media.Audio, media.Video, media.File:
		f.Kind = kind
	default:
		return File{}, false
	}
	if key := object(c["file"]); key != nil {
		f.Key, f.URL = c["file"], text(key["url"])
	}
	if !strings.HasPrefix(f.URL, "mxc://") {
		return File{}, false
	}
	body, name := text(c["body"]), text(c["filename"])
	if name == "" {
		name = body
	} else if name != body {
		f.Caption = body
	}
	if f.Name = media.CleanName(name); f.Name == "" {
		f.Name = string(f.Kind)
	}
	info := object(c["info"])
	f.MIME = text(info["mimetype"])
	if json.Unmarshal(info["size"], &f.Size) != nil || f.Size < 0 {
		f.Size = 0
	}
	return f, true
}
