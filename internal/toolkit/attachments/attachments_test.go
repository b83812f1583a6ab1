package attachments

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mindroom/internal/canonical"
	"mindroom/internal/identity"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	anna = "@anna:example.org"
	room = "!ops:example.org"
	root = "$root"
	gif  = "GIF89a\x01\x00\x01\x00\x80\x00\x00"
)

// bench is the toolkit over a real store, for calls in a thread.
type bench struct {
	t         *testing.T
	media     *media.Store
	functions map[string]tool.Function
	in        tool.Invocation
	calls     int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	db := storetest.Open(t, media.Schema)
	kept, err := media.Open(media.Options{Folder: t.TempDir(), DB: db})
	if err != nil {
		t.Fatal(err)
	}
	functions, err := New(Deps{DB: db, Media: kept}).Build(tool.Env{})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, media: kept, functions: map[string]tool.Function{}}
	for _, f := range functions {
		b.functions[f.Name.Function] = f
	}
	b.in = tool.Invocation{Call: tool.Call{Ref: tool.Ref{Door: tool.DoorTurn, Owner: "t"}, Who: identity.InThread("watcher", anna, room, root)}, Workspace: t.TempDir()}
	return b
}

func (b *bench) call(function string, args map[string]any) tool.Outcome {
	b.t.Helper()
	doc, err := canonical.FromValue(args)
	if err != nil {
		b.t.Fatal(err)
	}
	b.calls++
	in := b.in
	in.Ref.ID, in.Args = fmt.Sprint(b.calls), doc
	in.Keep = func(ctx context.Context, part int, data io.Reader, mime, name string) (media.Ref, error) {
		return b.media.Keep(ctx, tool.FileOwner(in.Call, part), data, mime, name)
	}
	return b.functions[function].Body.Run(b.t.Context(), in)
}

func (b *bench) ok(function string, args map[string]any) (value map[string]any, shown []media.Ref) {
	b.t.Helper()
	out := b.call(function, args)
	if out.State != tool.StateCompleted {
		b.t.Fatalf("%s %v = %s %v", function, args, out.State, out.Fault)
	}
	if err := json.Unmarshal(out.Value, &value); err != nil || value["status"] != "ok" || value["tool"] != "attachments" {
		b.t.Fatalf("%s, %v", out.Value, err)
	}
	return value, out.Media
}

// sent keeps a file that a message carries, and returns its attachment's id.
func (b *bench) sent(event, room, thread, name, text string) string {
	b.t.Helper()
	o := media.Owner{Kind: media.OwnedByEvent, ID: event, Room: room, Thread: thread, Requester: anna}
	if _, err := b.media.Keep(b.t.Context(), o, strings.NewReader(text), "", name); err != nil {
		b.t.Fatal(err)
	}
	return o.AttachmentID()
}

// Invariants 1 and 3.
func TestListAndGet(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	picture := b.sent(root, room, "", "cat.gif", gif)
	text := b.sent("$2", room, root, "a.csv", "a,b\n")
	binary := b.sent("$3", room, root, "a.zip", "PK\x03\x04\x00\x00")
	huge := b.sent("$4", room, root, "log.txt", strings.Repeat("x", maxText+1))
	b.sent("$5", room, "$other", "other thread.txt", "x")
	b.sent("$6", "!lab:example.org", root, "other room.txt", "x")
	lost := media.Owner{Kind: media.OwnedByEvent, ID: "$7", Room: room, Thread: root}
	err := b.media.DB.Write(t.Context(), func(tx *store.Tx) error {
		return b.media.Refuse(tx, lost, media.Ref{Name: "lost.png", MIME: "image/png"}, "it is not at the homeserver any more")
	})
	if err != nil {
		t.Fatal(err)
	}
	value, _ := b.ok("list_attachments", map[string]any{})
	listed := map[string]map[string]any{}
	for _, raw := range value["attachments"].([]any) {
		a := raw.(map[string]any)
		listed[a["attachment_id"].(string)] = a
	}
	if len(listed) != 5 || listed[picture]["name"] != "cat.gif" || listed[picture]["kind"] != "image" || listed[picture]["from"] != anna ||
		listed[picture]["event_id"] != root || listed[text]["bytes"] != 4.0 || listed[lost.AttachmentID()]["problem"] == nil {
		t.Errorf("listed %v", listed)
	}
	if value, shown := b.ok("get_attachment", map[string]any{"attachment_id": picture}); len(shown) != 1 || shown[0].MIME != "image/gif" || value["content"] != nil {
		t.Errorf("the picture: %v, shown %v", value, shown)
	}
	if value, shown := b.ok("get_attachment", map[string]any{"attachment_id": text}); shown != nil || value["content"] != "a,b\n" {
		t.Errorf("the text: %v, shown %v", value, shown)
	}
	for _, id := range []string{binary, huge} {
		if value, shown := b.ok("get_attachment", map[string]any{"attachment_id": id}); shown != nil || value["content"] != nil || !strings.Contains(value["note"].(string), "mindroom_output_path") {
			t.Errorf("what cannot be shown: %v, shown %v", value, shown)
		}
	}
	other := media.Owner{Kind: media.OwnedByEvent, ID: "$5"}
	for _, id := range []string{"att_none", "", other.AttachmentID(), lost.AttachmentID()} {
		if out := b.call("get_attachment", map[string]any{"attachment_id": id}); out.Fault == nil || out.Fault.Kind != tool.FaultTool {
			t.Errorf("%q: %+v", id, out)
		}
	}
}

// Invariant 2.
func TestSave(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.sent("$3", room, root, "a.zip", "PK\x03\x04")
	value, shown := b.ok("get_attachment", map[string]any{"attachment_id": id, "mindroom_output_path": "in/a.zip"})
	if raw, err := os.ReadFile(filepath.Join(b.in.Workspace, "in", "a.zip")); err != nil || string(raw) != "PK\x03\x04" || value["path"] != filepath.Join("in", "a.zip") || shown != nil {
		t.Errorf("%v, %q, %v", value, raw, err)
	}
	for _, path := range []string{"in/a.zip", "../a.zip", "/tmp/a.zip"} {
		if out := b.call("get_attachment", map[string]any{"attachment_id": id, "mindroom_output_path": path}); out.Fault == nil {
			t.Errorf("saved to %s: %s", path, out.Value)
		}
	}
}

// A file that is registered is an attachment of the conversation, by its content.
func TestRegister(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.WriteFile(filepath.Join(b.in.Workspace, "plot"), []byte(gif), 0o600); err != nil {
		t.Fatal(err)
	}
	value, _ := b.ok("register_attachment", map[string]any{"path": "plot"})
	if value["mime_type"] != "image/gif" || value["name"] != "plot" {
		t.Errorf("%v", value)
	}
	if _, shown := b.ok("get_attachment", map[string]any{"attachment_id": value["attachment_id"]}); len(shown) != 1 {
		t.Errorf("shown %v", shown)
	}
	for _, path := range []string{"none", "../plot", ""} {
		if out := b.call("register_attachment", map[string]any{"path": path}); out.Fault == nil {
			t.Errorf("registered %q: %s", path, out.Value)
		}
	}
	b.in.Who.Room = ""
	for _, function := range []string{"list_attachments", "register_attachment"} {
		args := map[string]any{}
		if function == "register_attachment" {
			args["path"] = "plot"
		}
		if out := b.call(function, args); out.Fault == nil {
			t.Errorf("%s outside a conversation: %s", function, out.Value)
		}
	}
}
