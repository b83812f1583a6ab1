package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"mindroom/internal/media"
)

func TestParseFile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		want    File // zero: none
	}{
		"plain":        {`{"msgtype":"m.image","body":"cat.png","url":"mxc://a/b","info":{"mimetype":"image/png","size":12}}`, File{Kind: media.Image, Name: "cat.png", MIME: "image/png", Size: 12, URL: "mxc://a/b"}},
		"encrypted":    {`{"msgtype":"m.file","body":"a.pdf","file":{"url":"mxc://a/c"}}`, File{Kind: media.File, Name: "a.pdf", URL: "mxc://a/c", Key: json.RawMessage(`{"url":"mxc://a/c"}`)}},
		"both":         {`{"msgtype":"m.file","body":"a","url":"mxc://a/plain","file":{"url":"mxc://a/c"}}`, File{Kind: media.File, Name: "a", URL: "mxc://a/c", Key: json.RawMessage(`{"url":"mxc://a/c"}`)}},
		"caption":      {`{"msgtype":"m.image","body":"what is this?","filename":"cat.png","url":"mxc://a/b"}`, File{Kind: media.Image, Name: "cat.png", URL: "mxc://a/b", Caption: "what is this?"}},
		"no caption":   {`{"msgtype":"m.video","body":"v.mp4","filename":"v.mp4","url":"mxc://a/b"}`, File{Kind: media.Video, Name: "v.mp4", URL: "mxc://a/b"}},
		"no name":      {`{"msgtype":"m.audio","url":"mxc://a/b"}`, File{Kind: media.Audio, Name: "audio", URL: "mxc://a/b"}},
		"a path":       {`{"msgtype":"m.file","body":"../x/y.txt","url":"mxc://a/b"}`, File{Kind: media.File, Name: "y.txt", URL: "mxc://a/b"}},
		"odd sizes":    {`{"msgtype":"m.file","body":"x","url":"mxc://a/b","info":{"size":-3,"mimetype":7}}`, File{Kind: media.File, Name: "x", URL: "mxc://a/b"}},
		"text":         {`{"msgtype":"m.text","body":"x","url":"mxc://a/b"}`, File{}},
		"no place":     {`{"msgtype":"m.image","body":"x"}`, File{}},
		"another web":  {`{"msgtype":"m.image","body":"x","url":"https://example.org/x.png"}`, File{}},
		"other case":   {`{"msgtype":"m.image","body":"x","URL":"mxc://a/b"}`, File{}},
		"odd envelope": {`[1]`, File{}},
	} {
		got, ok := ParseFile(json.RawMessage(c.content))
		if ok != (c.want.URL != "") || !same(got, c.want) {
			t.Errorf("%s: %+v %v, want %+v", name, got, ok, c.want)
		}
	}
}

func same(a, b File) bool {
	keys := string(a.Key) == string(b.Key)
	a.Key, b.Key = nil, nil
	return keys && a.Kind == b.Kind && a.Name == b.Name && a.MIME == b.MIME && a.Size == b.Size && a.URL == b.URL && a.Caption == b.Caption
}

// What strangers send never panics and never names a file without a place, a
// kind or a name that may be shown.
func FuzzParseFile(f *testing.F) {
	for _, s := range []string{
		`{"msgtype":"m.image","body":"cat.png","url":"mxc://a/b","info":{"mimetype":"image/png","size":12}}`,
		`{"msgtype":"m.file","body":"a","filename":"../b","file":{"url":"mxc://a/c","key":{"k":1}}}`,
		`{"msgtype":"m.image","file":[],"url":{}}`, `{"msgtype":"m.","url":"mxc://"}`, `null`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := ParseFile(raw)
		if !ok {
			return
		}
		if !strings.HasPrefix(got.URL, "mxc://") || got.Name == "" || got.Kind == "" || strings.ContainsAny(got.Name, "/\n") || got.Size < 0 {
			t.Fatalf("%q became %+v", raw, got)
		}
	})
}
