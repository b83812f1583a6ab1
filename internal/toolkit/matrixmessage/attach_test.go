package matrixmessage

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// gif is the smallest picture, one pixel wide and high.
const gif = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// work gives the agent a workspace with files.
func (b *bench) work(files map[string]string) string {
	b.t.Helper()
	b.in.Workspace = b.t.TempDir()
	for name, text := range files {
		path := filepath.Join(b.in.Workspace, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
	return b.in.Workspace
}

// delivery is a row of the outbox; false when there is none.
func (b *bench) delivery(id string) (d chat.Delivery, found bool) {
	b.t.Helper()
	err := b.db.Read(b.t.Context(), func(r *store.Reader) (err error) {
		d, err = chat.Get(r, id)
		return err
	})
	return d, err == nil
}

// Files go out before the message, as what they are by their content, each under
// an id that tools of the conversation know; they start no turn.
func TestFilesAreSent(t *testing.T) {
	t.Parallel()
	b := newBench(t).pump()
	dir := b.work(map[string]string{"out/plot.dat": gif, "notes.md": "# Notes"})
	value, text := b.sent("1", args{"message": "see these", "recipient": "helper", "attachment_file_paths": []string{"out/plot.dat", filepath.Join(dir, "notes.md")}})
	sent, _ := value["attachments"].([]any)
	if len(sent) != 2 {
		t.Fatalf("the result %v", value)
	}
	want := []string{
		`"body":"plot.dat","com.mindroom.attachment_ids":["%s"],"com.mindroom.skip_mentions":true,"filename":"plot.dat","info":{"h":1,"mimetype":"image/gif","size":43,"w":1},"m.mentions":{},"msgtype":"m.image"`,
		`"body":"notes.md","com.mindroom.attachment_ids":["%s"],"com.mindroom.skip_mentions":true,"filename":"notes.md","info":{"mimetype":"text/markdown","size":7},"m.mentions":{},"msgtype":"m.file"`,
	}
	for i, raw := range sent {
		said := raw.(map[string]any)
		id, _ := said["attachment_id"].(string)
		d, found := b.delivery(fmt.Sprintf("matrix_message.%d:script:script-1:1", i+1))
		if !found || d.Seq >= text.Seq || string(d.Content) != "{"+fmt.Sprintf(want[i], id)+"}" || d.ThreadRoot != thread || said["event_id"] != d.EventID {
			t.Errorf("file %d: %v %+v\n%s\nresult %v", i, found, d, d.Content, said)
		}
		if got := b.decide("helper", d); got.Action == "answer" {
			t.Errorf("file %d starts a turn: %+v", i, got)
		}
		if raw, err := b.media.Load(t.Context(), d.Attach); err != nil || string(raw) != map[int]string{0: gif, 1: "# Notes"}[i] {
			t.Errorf("file %d is %q, %v", i, raw, err)
		}
	}
	if got := b.decide("helper", text); got.Action != "answer" {
		t.Errorf("the message starts no turn: %+v", got)
	}
	id := sent[0].(map[string]any)["attachment_id"]
	again := b.ok("2", args{"attachment_ids": []any{id}, "thread_id": "room"})
	d, found := b.delivery("matrix_message.1:script:script-1:2")
	if !found || d.ThreadRoot != "" || d.Attach.MIME != "image/gif" || again["event_id"] != nil {
		t.Errorf("the attachment again, without a word: %v %+v, result %v", found, d, again)
	}
}

// Invariant 6: what is not the conversation's or not in the workspace is not sent,
// and a call that is refused sends nothing.
func TestFilesThatAreNotSent(t *testing.T) {
	t.Parallel()
	b := newBench(t).pump()
	dir := b.work(map[string]string{"a.txt": "a", "folder/b.txt": "b"})
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	ref, err := b.media.Put(t.Context(), strings.NewReader("x"), "", "x.txt")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := media.Owner{Kind: media.OwnedByEvent, ID: "$1", Room: other}
	lost := media.Owner{Kind: media.OwnedByEvent, ID: "$2", Room: room, Thread: thread}
	err = b.db.Write(t.Context(), func(tx *store.Tx) error {
		if err := b.media.Own(tx, elsewhere, ref); err != nil {
			return err
		}
		return b.media.Refuse(tx, lost, ref, "it is not at the homeserver any more")
	})
	if err != nil {
		t.Fatal(err)
	}
	six := []string{"a.txt", "a.txt", "a.txt", "a.txt", "a.txt", "a.txt"}
	for i, c := range []struct {
		kind tool.FaultKind
		args args
	}{
		{tool.FaultTool, args{"attachment_ids": []string{"att_none"}}},
		{tool.FaultTool, args{"attachment_ids": []string{elsewhere.AttachmentID()}}},
		{tool.FaultTool, args{"attachment_ids": []string{lost.AttachmentID()}}},
		{tool.FaultTool, args{"attachment_file_paths": []string{"none.txt"}}},
		{tool.FaultTool, args{"attachment_file_paths": []string{"folder"}}},
		{tool.FaultTool, args{"attachment_file_paths": []string{"link"}}},
		{tool.FaultArguments, args{"attachment_file_paths": []string{"../secret"}}},
		{tool.FaultArguments, args{"attachment_file_paths": []string{outside}}},
		{tool.FaultArguments, args{"attachment_file_paths": six}},
		{tool.FaultArguments, args{"attachment_file_paths": []string{"a.txt"}, "recipient": "helper"}},
		{tool.FaultArguments, args{"attachment_file_paths": []string{"a.txt"}, "action": "edit", "target": "$x", "message": "x"}},
		{tool.FaultArguments, args{"attachment_file_paths": []string{"a.txt"}, "action": "read"}},
	} {
		b.in.Who.Requester = fmt.Sprintf("@p%d:example.org", i) // each has a rate of their own
		b.fails(c.kind, fmt.Sprint(i), c.args)
		if _, found := b.delivery(fmt.Sprintf("matrix_message.1:script:script-1:%d", i)); found {
			t.Errorf("%v left a delivery", c.args)
		}
	}
}

// A file that the homeserver does not take is told with its kind; what else was
// said is said.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.refuse = "media_too_large"
	b.pump()
	b.work(map[string]string{"a.txt": "a"})
	out := b.call("1", args{"attachment_file_paths": []string{"a.txt"}})
	if out.Fault == nil || !strings.Contains(out.Fault.Message, "media_too_large") {
		t.Errorf("a file alone: %+v", out)
	}
	out = b.call("2", args{"attachment_file_paths": []string{"a.txt", "a.txt"}})
	var value struct {
		Attachments []sentFile `json:"attachments"`
	}
	if err := json.Unmarshal(out.Value, &value); err != nil || len(value.Attachments) != 2 || value.Attachments[1].Error != "media_too_large" {
		t.Errorf("two: %s, %v", out.Value, err)
	}
}

// A reply with files alone relates the first of them.
func TestReplyWithAFile(t *testing.T) {
	t.Parallel()
	b := newBench(t).pump()
	b.work(map[string]string{"a.txt": "a"})
	b.hear(chat.Event{EventID: "$q", Room: room, Sender: anna})
	b.ok("1", args{"action": "reply", "target": "$q", "attachment_file_paths": []string{"a.txt"}})
	d, _ := b.delivery("matrix_message.1:script:script-1:1")
	var c message.Content
	if err := json.Unmarshal(d.Content, &c); err != nil {
		t.Fatal(err)
	}
	if rel, _ := c["m.relates_to"].(map[string]any); rel["event_id"] != thread || rel["m.in_reply_to"].(map[string]any)["event_id"] != "$q" {
		t.Errorf("the file relates to %v", rel)
	}
}
