package message

// FileInfo describes a file that a message carries.
type FileInfo struct {
	// Kind is "image", "audio", "video" or "file".
	Kind string
	// Name is a file name; never empty.
	Name string
	MIME string // media type; may be empty
	Size int64  // bytes
	// Width and Height are of a picture, in pixels; 0 when they are not known.
	Width, Height int
}

// File builds the message that carries a file, all but the place where it lies:
// whoever uploads it adds that. It speaks to nobody unless an option says so.
func File(f FileInfo, opts ...Option) Content {
	c := settings(opts).build(f.Name, nil)
	delete(c, "format")
	delete(c, "formatted_body") // a name is no Markdown
	info := map[string]any{"size": f.Size}
	if f.MIME != "" {
		info["mimetype"] = f.MIME
	}
	if f.Width > 0 && f.Height > 0 {
		info["w"], info["h"] = f.Width, f.Height
	}
	c["msgtype"], c["filename"], c["info"] = "m."+f.Kind, f.Name, info
	return c
}

// LongText is what the event that carries a whole text says of it
// (spec/runtime.md 3.12). The file is the text itself, so the encoding is none that
// other runtimes would read as an event's content.
type LongText struct {
	Version  int    `json:"version"`
	Encoding string `json:"encoding"`
	// OriginalSize and PreviewSize are bytes of the whole text and of what its
	// message shows.
	OriginalSize int  `json:"original_event_size"`
	PreviewSize  int  `json:"preview_size"`
	Complete     bool `json:"is_complete_content"`
}

// NewLongText describes a whole text of which preview bytes are shown.
func NewLongText(original, preview int) LongText {
	return LongText{Version: 2, Encoding: "markdown", OriginalSize: original, PreviewSize: preview, Complete: true}
}
