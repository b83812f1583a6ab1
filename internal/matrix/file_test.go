//go:build goolm

package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/person"
	"mindroom/test/faultproxy"
)

// shelf is where the files of a test lie.
type shelf map[string][]byte

func (s shelf) load(_ context.Context, ref media.Ref) ([]byte, error) {
	raw, ok := s[ref.Digest]
	if !ok {
		return nil, &media.Error{Kind: media.Gone, File: ref.Name}
	}
	return bytes.Clone(raw), nil
}

// carrying is a message with a file of the shelf.
func carrying(id, room, digest string, raw []byte) chat.Delivery {
	d := text(id, room, "")
	d.Content = message.Content{"msgtype": "m.image", "body": digest + ".png"}.Raw()
	d.Attach = media.Ref{Digest: digest, MIME: "image/png", Name: digest + ".png", Size: int64(len(raw))}
	return d
}

func uploads(q *http.Request) bool { return strings.HasSuffix(q.URL.Path, "/media/v3/upload") }

func (r *rig) uploaded() int {
	return len(r.proxy.Exchanges(func(x faultproxy.Exchange) bool { return x.Forwarded && strings.HasSuffix(x.Path, "/media/v3/upload") }))
}

// seen waits for the event of a delivery as a person reads it.
func (r *rig) seen(ctx context.Context, c *person.Client, id string) person.Event {
	r.t.Helper()
	d := r.settled(ctx, id)
	if d.State != chat.Sent {
		r.t.Fatalf("%s: %s %s", id, d.State, d.ErrorKind)
	}
	e, err := c.WaitFor(ctx, func(e person.Event) bool { return e.ID == d.EventID && e.Type == "m.room.message" })
	must(r.t, err)
	return e
}

// A file goes out and comes in, in a room in clear. doc.go 13
func TestFilesInClear(t *testing.T) {
	t.Parallel()
	raw := bytes.Repeat([]byte("picture"), 1000)
	r, ctx, ann, room := talk(t, func(c *Config) { c.Load = shelf{"cat": raw}.load })
	r.say("news", carrying("pic", room, "cat", raw))
	e := r.seen(ctx, ann, "pic")
	if got, err := ann.File(ctx, e); err != nil || !bytes.Equal(got, raw) || e.Content["url"] == nil || e.Content["file"] != nil {
		t.Errorf("Ann has %d bytes, %v, content %v", len(got), err, e.Content)
	}
	sent, err := ann.SendFile(ctx, room, "", "m.image", "dog.png", "image/png", "my dog", raw)
	must(t, err)
	r.await(ctx, "the picture", func() bool { return r.found("news", sent).EventID != "" })
	f, ok := chat.ParseFile(r.found("news", sent).Content)
	if !ok || f.Caption != "my dog" || f.Name != "dog.png" {
		t.Fatalf("heard %+v", f)
	}
	if got, err := r.net.Download(ctx, r.user("news"), f, 1<<20); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("downloaded %d bytes, %v", len(got), err)
	}
	for name, c := range map[string]struct {
		change func(*chat.File)
		limit  int64
		want   media.ErrorKind
	}{
		"said too large": {func(f *chat.File) {}, 10, media.TooLarge},
		"is too large":   {func(f *chat.File) { f.Size = 0 }, 10, media.TooLarge},
		"not there":      {func(f *chat.File) { f.URL = f.URL[:len(f.URL)-3] + "xyz" }, 1 << 20, media.Gone},
		"no place":       {func(f *chat.File) { f.URL = "mxc://../../etc/passwd" }, 1 << 20, media.Gone},
		"climbs":         {func(f *chat.File) { f.URL = "mxc://localhost/.." }, 1 << 20, media.Gone},
		"broken key":     {func(f *chat.File) { f.Key = json.RawMessage(`{"v":"v1"}`) }, 1 << 20, media.Unreadable},
	} {
		bad := f
		c.change(&bad)
		if got, err := r.net.Download(ctx, r.user("news"), bad, c.limit); media.KindOf(err) != c.want || got != nil {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}

// The same in an encrypted room: nothing of it lies at the homeserver in clear,
// and what was tampered with is not taken. doc.go 13
func TestFilesInSecret(t *testing.T) {
	t.Parallel()
	raw := bytes.Repeat([]byte("picture"), 1000)
	r, ctx, ann, room := secretRoom(t, func(c *Config) { c.Load = shelf{"cat": raw}.load })
	r.say("news", carrying("pic", room, "cat", raw))
	e := r.seen(ctx, ann, "pic")
	if got, err := ann.File(ctx, e); err != nil || !bytes.Equal(got, raw) || !e.Encrypted || e.Content["url"] != nil {
		t.Errorf("Ann has %d bytes, %v, content %v", len(got), err, e.Content)
	}
	inClear := person.Event{ID: e.ID, Content: map[string]any{"url": e.Content["file"].(map[string]any)["url"]}}
	if got, err := ann.File(ctx, inClear); err != nil || bytes.Contains(got, []byte("picture")) {
		t.Errorf("the homeserver has it in clear: %v", err)
	}
	sent, err := ann.SendFile(ctx, room, "", "m.file", "dog.png", "image/png", "", raw)
	must(t, err)
	r.await(ctx, "the file", func() bool { return r.found("news", sent).Type == "m.room.message" })
	f, ok := chat.ParseFile(r.found("news", sent).Content)
	if !ok || f.Key == nil {
		t.Fatalf("heard %+v", f)
	}
	if got, err := r.net.Download(ctx, r.user("news"), f, 1<<20); err != nil || !bytes.Equal(got, raw) {
		t.Errorf("downloaded %d bytes, %v", len(got), err)
	}
	var key map[string]any
	must(t, json.Unmarshal(f.Key, &key))
	key["hashes"] = map[string]any{"sha256": strings.Repeat("A", 43)}
	f.Key, err = json.Marshal(key)
	must(t, err)
	if got, err := r.net.Download(ctx, r.user("news"), f, 1<<20); media.KindOf(err) != media.Unreadable || got != nil {
		t.Errorf("tampered with: %d bytes, %v", len(got), err)
	}
}

// A file whose message must be sent again is not uploaded again, by this process
// or the next. chat.doc 11
func TestFileIsUploadedOnce(t *testing.T) {
	t.Parallel()
	raw := []byte("picture")
	r, ctx, ann, room := talk(t, func(c *Config) { c.Load = shelf{"cat": raw}.load })
	r.deaf(ctx)
	fault := r.proxy.Arm(faultproxy.Fault{Match: sends(room), Times: 2, Status: 502})
	r.say("news", carrying("pic", room, "cat", raw))
	must(t, fault.WaitHits(ctx, 2))
	r.stop()
	r.start()
	r.run(ctx, garten(ann.UserID), RouterKey, "news")
	e := r.seen(ctx, ann, "pic")
	if got, err := ann.File(ctx, e); err != nil || !bytes.Equal(got, raw) || r.uploaded() != 1 {
		t.Errorf("%d bytes, %v, uploaded %d times", len(got), err, r.uploaded())
	}
}

// A room that is encrypted between the upload and the message: the file in clear
// is never named there. doc.go 13
func TestRoomEncryptedAfterTheUpload(t *testing.T) {
	t.Parallel()
	raw := []byte("picture")
	r, ctx := newRig(t, func(c *Config) { c.Load = shelf{"cat": raw}.load }), within(t, 2*requestTimeout)
	ann := r.hs.Person(t, "ann")
	must(t, ann.Secure(ctx))
	room := r.run(ctx, garten(ann.UserID), RouterKey, "news")["garten"]
	r.visitor(ctx, room, ann)
	r.admin(ctx, room, ann)
	hold := make(chan struct{})
	held := r.proxy.Arm(faultproxy.Fault{Match: uploads, Times: 1, Hold: hold})
	r.say("news", carrying("pic", room, "cat", raw))
	must(t, held.WaitHits(ctx, 1))
	must(t, ann.Encrypt(ctx, room))
	close(hold)
	e := r.seen(ctx, ann, "pic")
	if got, err := ann.File(ctx, e); err != nil || !bytes.Equal(got, raw) || !e.Encrypted || e.Content["url"] != nil || r.uploaded() != 2 {
		t.Errorf("%d bytes, %v, uploaded %d times, content %v", len(got), err, r.uploaded(), e.Content)
	}
}

// A file that the homeserver does not take, or that is gone, ends its delivery
// with its kind, and the next one goes out.
func TestFileThatCannotGo(t *testing.T) {
	t.Parallel()
	raw := []byte("picture")
	r, ctx, ann, room := talk(t, func(c *Config) { c.Load = shelf{"cat": raw}.load })
	huge := carrying("huge", room, "cat", raw)
	huge.Attach.Size = 1 << 40
	r.say("news", huge, carrying("gone", room, "dog", raw))
	if d := r.settled(ctx, "huge"); d.State != chat.Failed || d.ErrorKind != string(KindFileTooLarge) {
		t.Errorf("over the limit the homeserver tells: %s %s", d.State, d.ErrorKind)
	}
	if d := r.settled(ctx, "gone"); d.State != chat.Failed || d.ErrorKind != string(KindFileGone) {
		t.Errorf("gone: %s %s", d.State, d.ErrorKind)
	}
	r.proxy.Arm(faultproxy.Fault{Match: uploads, Times: 1, Status: 413, Body: `{"errcode":"M_TOO_LARGE","error":"no"}`})
	r.say("news", carrying("refused", room, "cat", raw), text("next", room, "next"))
	if d := r.settled(ctx, "refused"); d.State != chat.Failed || d.ErrorKind != string(KindFileTooLarge) {
		t.Errorf("refused: %s %s", d.State, d.ErrorKind)
	}
	if got := r.shown(ctx, ann, room, "next"); len(got) != 1 || got[0] != "next" {
		t.Errorf("in the room: %q", got)
	}
}

// Where files fail again and again and all else works, what is said after one does
// not wait for ever. doc.go 12
func TestUploadsThatNeverPass(t *testing.T) {
	t.Parallel()
	raw := []byte("picture")
	r, ctx, ann, room := talk(t, func(c *Config) { c.Load, c.UploadTries = shelf{"cat": raw}.load, 2 })
	fault := r.proxy.Arm(faultproxy.Fault{Match: uploads, Status: 502})
	r.say("news", carrying("pic", room, "cat", raw), text("next", room, "next"))
	if d := r.settled(ctx, "pic"); d.State != chat.Failed || d.ErrorKind != string(KindFileFailed) || fault.Hits() != 2 {
		t.Errorf("%s %s after %d uploads", d.State, d.ErrorKind, fault.Hits())
	}
	if got := r.shown(ctx, ann, room, "next"); len(got) != 1 || got[0] != "next" {
		t.Errorf("in the room: %q", got)
	}
}

// A homeserver from before authenticated media is asked in its own way, and a
// line that is cut is tried again.
func TestDownloadFromAnOldHomeserver(t *testing.T) {
	t.Parallel()
	r, ctx, ann, room := talk(t, nil)
	sent, err := ann.SendFile(ctx, room, "", "m.file", "a.txt", "text/plain", "", []byte("hello"))
	must(t, err)
	r.await(ctx, "the file", func() bool { return r.found("news", sent).EventID != "" })
	f, _ := chat.ParseFile(r.found("news", sent).Content)
	r.proxy.Arm(faultproxy.Fault{Status: 404, Body: `{"errcode":"M_UNRECOGNIZED","error":"?"}`, Match: func(q *http.Request) bool {
		return strings.HasPrefix(q.URL.Path, "/_matrix/client/v1/media/")
	}})
	old := r.proxy.Arm(faultproxy.Fault{Status: 502, Times: 1, Match: func(q *http.Request) bool {
		return strings.HasPrefix(q.URL.Path, "/_matrix/media/v3/download/")
	}})
	got, err := r.net.Download(ctx, r.user("news"), f, 1<<20)
	if err != nil || string(got) != "hello" || old.Hits() != 1 {
		t.Errorf("%q, %v, %d hits", got, err, old.Hits())
	}
	lost, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.net.Download(lost, r.user("news"), f, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}
